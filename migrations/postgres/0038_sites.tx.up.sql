-- Operators count the sites that are on the network.
CREATE INDEX projects_sites ON projects (id) WHERE deployment_id IS NOT NULL AND deleted_at IS NULL;
