-- A project may have several active domains; projects.custom_domain names the primary one.
DROP INDEX domains_active;
