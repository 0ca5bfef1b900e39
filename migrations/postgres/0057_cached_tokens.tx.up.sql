-- How many of a model's input tokens were read from the vendor's prompt cache. It is not known
-- of older use.
ALTER TABLE usage ADD COLUMN cached_tokens bigint NOT NULL DEFAULT 0;
