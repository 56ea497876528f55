-- A token of a person carries decisions that no agent may take.
ALTER TABLE mem.tokens ADD COLUMN person boolean NOT NULL DEFAULT false;
