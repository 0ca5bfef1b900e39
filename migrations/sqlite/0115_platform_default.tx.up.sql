-- At most one of the installation's AI providers is the default: of several, the one changed last.
UPDATE platform_providers SET is_default = 0
    WHERE is_default AND id <> (SELECT id FROM platform_providers WHERE is_default ORDER BY updated_at DESC, id DESC LIMIT 1);
CREATE UNIQUE INDEX platform_providers_default ON platform_providers (is_default) WHERE is_default;
