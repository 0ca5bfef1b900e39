-- The window of a provider's models, in tokens; NULL leaves it to Atelier.
ALTER TABLE providers ADD COLUMN context_tokens integer;
ALTER TABLE platform_providers ADD COLUMN context_tokens integer;
