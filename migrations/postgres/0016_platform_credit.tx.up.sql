-- What people have spent of the operator's AI provider, in all workspaces. It stays
-- with the person, whatever becomes of a workspace or of the account.
CREATE TABLE platform_spending (
    user_id text COLLATE "C" PRIMARY KEY,
    spent   double precision NOT NULL
);

-- Where a workspace has no provider of its own, all that it used was the operator's.
-- Its owner of the longest standing answers for it.
INSERT INTO platform_spending (user_id, spent)
SELECT m.user_id, SUM(w.credit_used)
FROM workspaces AS w
JOIN memberships AS m ON m.workspace_id = w.id AND m.user_id = (
    SELECT o.user_id FROM memberships AS o
    WHERE o.workspace_id = w.id AND o.role = 'owner'
    ORDER BY o.joined_at, o.user_id LIMIT 1
)
WHERE w.credit_used > 0 AND NOT EXISTS (SELECT 1 FROM providers AS p WHERE p.workspace_id = w.id)
GROUP BY m.user_id;

-- Who is charged for the call under way beside the sender; '' for a call that is not
-- the operator's.
ALTER TABLE runs ADD COLUMN payer text COLLATE "C" NOT NULL DEFAULT '';
