-- The codes of the cities in which a direction with cash works, as JSON. Empty: in all that its cash has.
ALTER TABLE pair ADD COLUMN cities TEXT NOT NULL DEFAULT '[]';
