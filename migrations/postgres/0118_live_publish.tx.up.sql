-- Who may publish what changes functions or rules: member or admin.
ALTER TABLE workspaces ADD COLUMN live_publish text COLLATE "C" NOT NULL DEFAULT 'member';
