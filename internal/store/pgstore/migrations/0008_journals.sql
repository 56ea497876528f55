-- Each machine keeps its own journals, in files beside its copy.
DROP TABLE IF EXISTS mem.journal;
