module compat // These stores have names that differ in case alone, which the archive of a module must not have.
