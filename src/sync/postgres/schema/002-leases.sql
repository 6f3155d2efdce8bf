-- Who works on a task, by the server's clock.
CREATE TABLE ccg.leases (
	task text PRIMARY KEY CHECK (length(task) <= 200),
	project text NOT NULL,
	machine text NOT NULL,
	until timestamptz NOT NULL,
	login name NOT NULL,
	at timestamptz NOT NULL,
	address inet
);

-- Takes or renews a lease by the server's clock; gives who holds it now.
CREATE FUNCTION ccg.lease(wanted text, of_project text, seconds integer)
RETURNS TABLE (machine text, until timestamptz, mine boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m ccg.members := ccg.acting('writer', 'owner');
	now_ timestamptz := clock_timestamp();
BEGIN
	IF NOT ccg.sees(m, of_project) THEN
		RAISE insufficient_privilege USING MESSAGE = 'this project is not shared with this machine';
	END IF;
	INSERT INTO ccg.leases AS l
		VALUES (wanted, of_project, m.machine, now_ + make_interval(secs => least(greatest(seconds, 1), 86400)),
			session_user, now_, inet_client_addr())
		ON CONFLICT (task) DO UPDATE SET (project, machine, until, login, at, address) =
			(excluded.project, excluded.machine, excluded.until, excluded.login, excluded.at, excluded.address)
		WHERE (l.machine = m.machine OR l.until <= clock_timestamp()) AND ccg.sees(m, l.project);
	RETURN QUERY SELECT l.machine, l.until, l.machine = m.machine
		FROM ccg.leases l WHERE l.task = wanted AND ccg.sees(m, l.project);
END $$;

ALTER TABLE ccg.leases ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON ccg.leases FOR SELECT USING (
	(SELECT (ccg.me()).role) IS NOT NULL
	AND ((SELECT (ccg.me()).projects) IS NULL OR project = ANY ((SELECT (ccg.me()).projects)::text[])));

SELECT ccg.allow('SELECT ON ccg.leases', 'EXECUTE ON FUNCTION ccg.lease(text, text, integer)');
