-- One database holds one space. Members read under row level security and write by functions alone, so who wrote a row, when and from
-- where is said by the server.
-- A member is a login role of its own: `session_user` stands outside of what a session can change, through a pooler too.

CREATE SCHEMA ccg;

-- A client that knows the schema up to N reads a newer one if `readers` <= N, and writes to it if `writers` <= N.
CREATE TABLE ccg.about (
	one boolean PRIMARY KEY DEFAULT true CHECK (one),
	space text NOT NULL,
	-- the role that all members belong to; roles are those of the whole server, so each space has its own
	members name NOT NULL,
	version integer NOT NULL DEFAULT 0,
	readers integer NOT NULL DEFAULT 1,
	writers integer NOT NULL DEFAULT 1
);

-- Whoever owns the schema may give and end the role. From PostgreSQL 16 on CREATEROLE does not say so by itself, and a server that was
-- upgraded to it knows of older roles only what was granted.
CREATE FUNCTION ccg.make_role(called name, how text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE ROLE %I %s', called, how)
		|| CASE WHEN current_setting('server_version_num')::integer < 160000 THEN ' ADMIN CURRENT_USER' ELSE '' END;
END $$;

DO $$
DECLARE
	members name := 'ccg_members_' || substr(md5(gen_random_uuid()::text), 1, 12);
BEGIN
	PERFORM ccg.make_role(members, 'NOLOGIN');
	INSERT INTO ccg.about (space, members) VALUES (current_setting('ccg.space'), members);
END $$;

CREATE TABLE ccg.members (
	login name PRIMARY KEY,
	machine text UNIQUE CHECK (machine ~ '^[0-9a-f]{32}$'),
	name text CHECK (length(name) <= 200),
	person text CHECK (length(person) <= 200),
	role text NOT NULL CHECK (role IN ('reader', 'writer', 'owner')),
	-- those it may see; NULL: all
	projects text[],
	-- an invitation that nobody has taken is good until then
	until timestamptz NOT NULL,
	joined timestamptz,
	removed timestamptz,
	invited_by name NOT NULL DEFAULT session_user,
	invited_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address inet
);

CREATE TABLE ccg.batches (
	machine text NOT NULL,
	seq bigint NOT NULL CHECK (seq > 0),
	project text,
	bytes bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 524288),
	login name NOT NULL DEFAULT session_user,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address inet DEFAULT inet_client_addr(),
	PRIMARY KEY (machine, seq)
);

-- which batches of a machine are there, without a gap
CREATE TABLE ccg.heads (
	machine text PRIMARY KEY,
	first bigint NOT NULL,
	last bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE ccg.documents (
	name text PRIMARY KEY CHECK (length(name) <= 200),
	bytes bytea NOT NULL CHECK (octet_length(bytes) <= 33554432),
	machine text NOT NULL,
	login name NOT NULL,
	at timestamptz NOT NULL,
	address inet
);

-- what leaves no row of its own
CREATE TABLE ccg.history (
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	login name NOT NULL DEFAULT session_user,
	address inet DEFAULT inet_client_addr(),
	what text NOT NULL,
	subject text
);

-- (plpgsql: it keeps the plan of its statement, SQL makes it anew each time)
CREATE FUNCTION ccg.me() RETURNS ccg.members
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members;
BEGIN
	SELECT * INTO m FROM ccg.members WHERE login = session_user AND joined IS NOT NULL AND removed IS NULL;
	RETURN m;
END $$;

-- Functions without a search_path of their own are called by those alone that have one.
CREATE FUNCTION ccg.sees(m ccg.members, project text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
	SELECT m.role IS NOT NULL AND (project IS NULL OR m.projects IS NULL OR project = ANY (m.projects))
$$;

-- What a transaction changed is on the disk when it ends, whatever the server's default is.
CREATE FUNCTION ccg.durable() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('synchronous_commit') IN ('off', 'local') THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
END $$;

-- The caller, where it has one of the roles.
CREATE FUNCTION ccg.acting(VARIADIC roles text[]) RETURNS ccg.members
LANGUAGE plpgsql AS $$
DECLARE
	m ccg.members := ccg.me();
BEGIN
	IF m.role = ANY (roles) THEN
		PERFORM ccg.durable();
		RETURN m;
	END IF;
	RAISE insufficient_privilege USING MESSAGE =
		CASE WHEN m.role IS NULL THEN 'this login is no member' ELSE format('a %s may not do that', m.role) END;
END $$;

CREATE FUNCTION ccg.acting_as(of_machine text, VARIADIC roles text[]) RETURNS ccg.members
LANGUAGE plpgsql AS $$
DECLARE
	m ccg.members := ccg.acting(VARIADIC roles);
BEGIN
	IF m.machine = of_machine THEN RETURN m; END IF;
	RAISE insufficient_privilege USING MESSAGE = 'this login is another machine''s';
END $$;

CREATE FUNCTION ccg.note(what text, subject text) RETURNS void
LANGUAGE sql AS $$
	INSERT INTO ccg.history (what, subject) VALUES (what, subject)
$$;

-- Batches that follow on each other, their bytes one behind the other. What is there is passed over; a gap is refused as a whole.
CREATE FUNCTION ccg.append(of_machine text, from_seq bigint, of_projects text[], sizes integer[], content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting_as(of_machine, 'writer', 'owner');
	had bigint := from_seq - 1;
	upto bigint := from_seq + cardinality(sizes) - 1;
BEGIN
	IF m.projects IS NOT NULL AND EXISTS (SELECT FROM unnest(of_projects) AS project WHERE NOT ccg.sees(m, project)) THEN
		RAISE insufficient_privilege USING MESSAGE = 'this project is not shared with this machine';
	END IF;
	-- two processes of one machine go one after the other
	UPDATE ccg.heads SET last = upto WHERE machine = m.machine AND last = from_seq - 1;
	IF NOT FOUND THEN
		INSERT INTO ccg.heads VALUES (m.machine, from_seq, from_seq - 1) ON CONFLICT DO NOTHING;
		SELECT last INTO had FROM ccg.heads WHERE machine = m.machine FOR UPDATE;
		UPDATE ccg.heads SET last = upto WHERE machine = m.machine AND last < upto;
	END IF;
	IF from_seq > had + 1 OR cardinality(of_projects) <> cardinality(sizes) THEN
		RAISE EXCEPTION 'batch % does not follow on what is there', from_seq USING ERRCODE = 'CG001';
	END IF;
	INSERT INTO ccg.batches (machine, seq, project, bytes)
		SELECT m.machine, from_seq + nr - 1, of_projects[nr], substr(content, before::integer + 1, size)
		FROM (SELECT nr, size, sum(size) OVER (ORDER BY nr) - size AS before FROM unnest(sizes) WITH ORDINALITY AS s (size, nr)) AS parts
		WHERE from_seq + nr - 1 > had;
END $$;

-- Batches from a number on, about `size` bytes, at least one. Of one that is not for the caller the hash alone, so that the chain can be
-- followed across it.
CREATE FUNCTION ccg.read(of_machine text, from_seq bigint, size bigint)
RETURNS TABLE (seq bigint, project text, bytes bytea, hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT seq, project, CASE WHEN own THEN bytes ELSE '' END,
		CASE WHEN NOT own THEN encode(sha256(bytes), 'hex') END
	FROM (
		SELECT b.*, ccg.sees(m, b.project) AS own,
			sum(octet_length(b.bytes)) OVER (ORDER BY b.seq) - octet_length(b.bytes) AS before
		FROM ccg.me() AS m, LATERAL (
			SELECT * FROM ccg.batches WHERE machine = of_machine AND batches.seq >= from_seq ORDER BY batches.seq LIMIT 2000
		) AS b
		WHERE m.role IS NOT NULL
	) AS counted
	WHERE before < size ORDER BY seq
$$;

CREATE FUNCTION ccg.forget(of_machine text, upto bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('reader', 'writer', 'owner');
BEGIN
	IF of_machine <> m.machine AND (m.role <> 'owner' OR EXISTS (
		SELECT FROM ccg.members AS other WHERE other.machine = of_machine AND other.removed IS NULL)) THEN
		RAISE insufficient_privilege USING MESSAGE = 'a machine deletes its own, an owner what is of one that left';
	END IF;
	-- beyond what is there, too: it was lost, and the next one has a higher number
	UPDATE ccg.heads SET first = greatest(first, upto + 1), last = greatest(last, upto) WHERE machine = of_machine;
	DELETE FROM ccg.batches WHERE machine = of_machine AND seq <= upto;
	IF FOUND THEN PERFORM ccg.note('forget', of_machine || ' ' || upto); END IF;
END $$;

-- `join` and `confirm` stand for the machine they end with; a snapshot is an owner's: a head, parts about the space, and parts of one
-- project each.
CREATE FUNCTION ccg.may_put(m ccg.members, document text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE
		WHEN document = 'join/' || m.machine THEN true
		WHEN m.role = 'owner' THEN true
		WHEN m.role = 'writer' AND m.projects IS NULL THEN
			document ~ ('^confirm/[0-9a-z-]+/' || m.machine || '$')
		ELSE false
	END
$$;

CREATE FUNCTION ccg.put(document text, content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('reader', 'writer', 'owner');
BEGIN
	IF ccg.may_put(m, document) THEN
		INSERT INTO ccg.documents AS d
			VALUES (document, content, m.machine, session_user, clock_timestamp(), inet_client_addr())
			ON CONFLICT (name) DO UPDATE SET (bytes, machine, login, at, address) =
				(excluded.bytes, excluded.machine, excluded.login, excluded.at, excluded.address)
			WHERE d.machine = m.machine OR m.role = 'owner';
		IF FOUND THEN RETURN; END IF;
	END IF;
	RAISE insufficient_privilege USING MESSAGE = format('a %s may not put this document', m.role);
END $$;

CREATE FUNCTION ccg.remove(document text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('reader', 'writer', 'owner');
BEGIN
	IF NOT EXISTS (SELECT FROM ccg.documents WHERE name = document) THEN RETURN; END IF;
	DELETE FROM ccg.documents WHERE name = document AND (machine = m.machine OR m.role = 'owner');
	IF NOT FOUND THEN
		RAISE insufficient_privilege USING MESSAGE = format('a %s may not remove this document', m.role);
	END IF;
	PERFORM ccg.note('remove', document);
END $$;

ALTER TABLE ccg.about ENABLE ROW LEVEL SECURITY;
ALTER TABLE ccg.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE ccg.batches ENABLE ROW LEVEL SECURITY;
ALTER TABLE ccg.heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE ccg.documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE ccg.history ENABLE ROW LEVEL SECURITY;

-- the caller is looked up once a statement, not once a row
CREATE POLICY reading ON ccg.about FOR SELECT USING (true);
CREATE POLICY reading ON ccg.members FOR SELECT USING ((SELECT (ccg.me()).role) IS NOT NULL);
CREATE POLICY reading ON ccg.heads FOR SELECT USING ((SELECT (ccg.me()).role) IS NOT NULL);
CREATE POLICY reading ON ccg.history FOR SELECT USING ((SELECT (ccg.me()).role) = 'owner');
CREATE POLICY reading ON ccg.documents FOR SELECT USING (
	(SELECT (ccg.me()).role) IS NOT NULL
	AND ((SELECT (ccg.me()).projects) IS NULL OR name !~ '^snapshot/[^/]*/[0-9a-f]{32}-'
		OR left(split_part(name, '/', 3), 32) = ANY ((SELECT (ccg.me()).projects)::text[])));
CREATE POLICY reading ON ccg.batches FOR SELECT USING (
	(SELECT (ccg.me()).role) IS NOT NULL
	AND (project IS NULL OR (SELECT (ccg.me()).projects) IS NULL OR project = ANY ((SELECT (ccg.me()).projects)::text[])));

-- Members may do that, and the public nothing in the schema: what is made is open to it at first.
CREATE FUNCTION ccg.allow(VARIADIC rights text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	members name := (SELECT members FROM ccg.about);
	one text;
BEGIN
	REVOKE ALL ON ALL TABLES IN SCHEMA ccg FROM PUBLIC;
	REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ccg FROM PUBLIC;
	FOREACH one IN ARRAY rights LOOP
		EXECUTE format('GRANT %s TO %I', one, members);
	END LOOP;
END $$;

SELECT ccg.allow('USAGE ON SCHEMA ccg',
	'SELECT ON ccg.about, ccg.members, ccg.batches, ccg.heads, ccg.documents, ccg.history',
	'EXECUTE ON FUNCTION ccg.me(), ccg.append(text, bigint, text[], integer[], bytea), ccg.read(text, bigint, bigint), '
	'ccg.forget(text, bigint), ccg.put(text, bytea), ccg.remove(text)');
