-- The page of a transaction in the owner's block explorer, with {tx} for its id. NULL: the usual explorer of the network.
ALTER TABLE currency ADD COLUMN explorer TEXT;
