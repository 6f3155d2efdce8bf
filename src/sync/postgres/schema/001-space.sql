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
	address inet,
	-- which of its batches are there, without a gap; NULL: there never was one
	first bigint,
	last bigint
) WITH (fillfactor = 50);

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

CREATE TABLE ccg.documents (
	name text PRIMARY KEY CHECK (length(name) <= 200),
	bytes bytea NOT NULL CHECK (octet_length(bytes) <= 33554432),
	machine text NOT NULL,
	login name NOT NULL DEFAULT session_user,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address inet DEFAULT inet_client_addr()
);

-- Who works on a task, by the server's clock.
CREATE TABLE ccg.leases (
	task text PRIMARY KEY CHECK (length(task) <= 200),
	project text NOT NULL,
	machine text NOT NULL,
	until timestamptz NOT NULL,
	login name NOT NULL DEFAULT session_user,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address inet DEFAULT inet_client_addr()
);

-- What a team may search, where the space is not encrypted. Each machine writes its own rows; of an item the latest stands, NULL: deleted.
CREATE TABLE ccg.texts (
	machine text NOT NULL,
	item text NOT NULL CHECK (length(item) <= 200),
	project text,
	text text CHECK (octet_length(text) <= 262144),
	clock text COLLATE "C" NOT NULL CHECK (length(clock) <= 40),
	words tsvector GENERATED ALWAYS AS (to_tsvector('pg_catalog.english', text)) STORED,
	-- What it means, by a model of who told it; without numbers: the model does not take that text. Kept as plain numbers, of the length
	-- that a model gives: the extension `vector` may come, move to another schema and go at any time, and nothing rests on it but one
	-- query. No index: an approximate one names the nearest of all, and rights, project and model would then leave holes.
	model text CHECK (length(model) BETWEEN 1 AND 200),
	numbers real[] CHECK (cardinality(numbers) <= 4096 AND array_ndims(numbers) = 1
		AND array_position(numbers, NULL) IS NULL AND NOT numbers && '{NaN,Infinity,-Infinity}'),
	length integer GENERATED ALWAYS AS (cardinality(numbers)) STORED,
	login name NOT NULL DEFAULT session_user,
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	address inet DEFAULT inet_client_addr(),
	PRIMARY KEY (machine, item)
);
CREATE INDEX ON ccg.texts (item, clock);
CREATE INDEX ON ccg.texts USING gin (words);
-- such numbers don't get smaller
ALTER TABLE ccg.texts ALTER COLUMN numbers SET STORAGE EXTERNAL;

DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
EXCEPTION WHEN OTHERS THEN
	-- not there, or not this owner's to install: words alone are searched
END $$;

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

-- (its body is read here, once: no search_path of a caller changes what it means)
CREATE FUNCTION ccg.sees(m ccg.members, project text) RETURNS boolean
LANGUAGE sql IMMUTABLE
RETURN m.role IS NOT NULL AND (project IS NULL OR m.projects IS NULL OR project = ANY (m.projects));

-- Functions without a search_path of their own are called by those alone that have one.

-- What a transaction changed is on the disk when it ends, whatever the server's default is.
CREATE FUNCTION ccg.durable() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('synchronous_commit') IN ('off', 'local') THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
END $$;

-- The caller, where it has one of the roles and sees these projects.
CREATE FUNCTION ccg.acting(roles text[], of_projects text[] DEFAULT NULL) RETURNS ccg.members
LANGUAGE plpgsql AS $$
DECLARE
	m ccg.members := ccg.me();
BEGIN
	IF m.role = ANY (roles) IS NOT TRUE THEN
		RAISE insufficient_privilege USING MESSAGE =
			CASE WHEN m.role IS NULL THEN 'this login is no member' ELSE format('a %s may not do that', m.role) END;
	END IF;
	IF m.projects IS NOT NULL AND EXISTS (SELECT FROM unnest(of_projects) AS project WHERE NOT ccg.sees(m, project)) THEN
		RAISE insufficient_privilege USING MESSAGE = 'this project is not shared with this machine';
	END IF;
	PERFORM ccg.durable();
	RETURN m;
END $$;

CREATE FUNCTION ccg.note(what text, subject text) RETURNS void
LANGUAGE sql AS $$
	INSERT INTO ccg.history (what, subject) VALUES (what, subject)
$$;

-- Batches that follow on each other, their bytes one behind the other. What is there is passed over; a gap is refused as a whole.
CREATE FUNCTION ccg.append(of_machine text, from_seq bigint, of_projects text[], sizes integer[], content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('{writer,owner}', of_projects);
	upto bigint := from_seq + cardinality(sizes) - 1;
	had bigint;
BEGIN
	IF of_machine <> m.machine THEN
		RAISE insufficient_privilege USING MESSAGE = 'this login is another machine''s';
	END IF;
	-- two processes of one machine go one after the other
	SELECT coalesce(last, from_seq - 1) INTO had FROM ccg.members WHERE login = m.login FOR UPDATE;
	IF from_seq > had + 1 OR cardinality(of_projects) <> cardinality(sizes) THEN
		RAISE EXCEPTION 'batch % does not follow on what is there', from_seq USING ERRCODE = 'CG001';
	END IF;
	UPDATE ccg.members SET first = coalesce(first, from_seq), last = greatest(had, upto) WHERE login = m.login;
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
	m ccg.members := ccg.acting('{reader,writer,owner}');
BEGIN
	IF of_machine <> m.machine AND (m.role <> 'owner' OR EXISTS (
		SELECT FROM ccg.members AS other WHERE other.machine = of_machine AND other.removed IS NULL)) THEN
		RAISE insufficient_privilege USING MESSAGE = 'a machine deletes its own, an owner what is of one that left';
	END IF;
	-- beyond what is there, too: it was lost, and the next one has a higher number
	UPDATE ccg.members SET first = greatest(first, upto + 1), last = greatest(last, upto)
		WHERE machine = of_machine AND last IS NOT NULL;
	DELETE FROM ccg.batches WHERE machine = of_machine AND seq <= upto;
	IF FOUND THEN PERFORM ccg.note('forget', of_machine || ' ' || upto); END IF;
END $$;

-- `join` and `confirm` stand for the machine they end with; a snapshot is an owner's: a head, parts about the space, and parts of one
-- project each.
CREATE FUNCTION ccg.put(document text, content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('{reader,writer,owner}');
BEGIN
	IF m.role = 'owner' OR document = 'join/' || m.machine
		OR (m.role = 'writer' AND m.projects IS NULL AND document ~ ('^confirm/[0-9a-z-]+/' || m.machine || '$')) THEN
		INSERT INTO ccg.documents AS d (name, bytes, machine) VALUES (document, content, m.machine)
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
	m ccg.members := ccg.acting('{reader,writer,owner}');
BEGIN
	IF NOT EXISTS (SELECT FROM ccg.documents WHERE name = document) THEN RETURN; END IF;
	DELETE FROM ccg.documents WHERE name = document AND (machine = m.machine OR m.role = 'owner');
	IF NOT FOUND THEN
		RAISE insufficient_privilege USING MESSAGE = format('a %s may not remove this document', m.role);
	END IF;
	PERFORM ccg.note('remove', document);
END $$;

-- Takes or renews a lease by the server's clock; gives who holds it now.
CREATE FUNCTION ccg.lease(wanted text, of_project text, seconds integer)
RETURNS TABLE (machine text, until timestamptz, mine boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m ccg.members := ccg.acting('{writer,owner}', ARRAY[of_project]);
BEGIN
	INSERT INTO ccg.leases AS l (task, project, machine, until)
		VALUES (wanted, of_project, m.machine, clock_timestamp() + make_interval(secs => least(greatest(seconds, 1), 86400)))
		ON CONFLICT (task) DO UPDATE SET (project, machine, until, login, at, address) =
			(excluded.project, excluded.machine, excluded.until, excluded.login, excluded.at, excluded.address)
		WHERE (l.machine = m.machine OR l.until <= clock_timestamp()) AND ccg.sees(m, l.project);
	RETURN QUERY SELECT l.machine, l.until, l.machine = m.machine
		FROM ccg.leases l WHERE l.task = wanted AND ccg.sees(m, l.project);
END $$;

CREATE FUNCTION ccg.tell(items text[], of_projects text[], said text[], clocks text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('{writer,owner}', of_projects);
BEGIN
	INSERT INTO ccg.texts AS t (machine, item, project, text, clock)
		SELECT m.machine, * FROM unnest(items, of_projects, said, clocks)
		ON CONFLICT (machine, item) DO UPDATE SET (project, text, clock, model, numbers, login, at, address) =
			(excluded.project, excluded.text, excluded.clock, NULL, NULL, excluded.login, excluded.at, excluded.address)
		WHERE t.clock < excluded.clock;
END $$;

-- Puts beside texts of the caller what they mean, where they are still those of that clock.
CREATE FUNCTION ccg.embed(of_model text, items text[], clocks text[], vectors text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('{writer,owner}');
BEGIN
	UPDATE ccg.texts AS t SET model = of_model, numbers = new.vector::real[]
		FROM unnest(items, clocks, vectors) AS new (item, clock, vector)
		WHERE (t.machine, t.item, t.clock) = (m.machine, new.item, new.clock);
END $$;

-- Whether a text is the latest of its item, and for this member to see.
CREATE FUNCTION ccg.stands(m ccg.members, t ccg.texts, of_projects text[]) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT ccg.sees(m, t.project) AND (of_projects IS NULL OR t.project = ANY (of_projects)) AND NOT EXISTS (
		SELECT FROM ccg.texts AS later
		WHERE later.item = t.item AND later.clock > t.clock AND later.project IS NOT DISTINCT FROM t.project)
$$;

-- Any word counts, and where none is found as one (scripts without spaces), the query as it stands. With a vector, and where the extension
-- is there and works, that order and the one of the nearest in meaning are joined by reciprocal rank. A function, not the table under its
-- policy: rights by row are checked before an index on words could be asked.
CREATE FUNCTION ccg.search(query text, of_projects text[], many integer, of_model text, near text)
RETURNS TABLE (item text, project text, text text, machine text, name text, person text, at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m ccg.members := ccg.me();
	most integer := least(greatest(many, 1), 100);
	wanted text := left(query, 1000);
	any_word tsquery := replace(plainto_tsquery('pg_catalog.english', wanted)::text, '&', '|')::tsquery;
	place name := (SELECT nspname FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace
		WHERE extname = 'vector' AND has_schema_privilege(n.oid, 'USAGE'));
BEGIN
	IF m.role IS NULL THEN RETURN; END IF;
	IF near IS NOT NULL AND place IS NOT NULL THEN
		BEGIN
			RETURN QUERY EXECUTE format($q$
				WITH near AS (
					SELECT machine, item, clock, numbers::%1$I.vector OPERATOR(%1$I.<=>) $4::%1$I.vector AS distance
					FROM ccg.texts
					WHERE model = $3 AND length = cardinality($4)
						AND ccg.sees($5, project) AND ($2 IS NULL OR project = ANY ($2))
					ORDER BY distance, clock DESC
				), nearest AS (
					SELECT t.*, near.distance FROM near CROSS JOIN LATERAL (
						-- one by one, until there are enough: that is what costs
						SELECT * FROM ccg.texts AS t WHERE t.machine = near.machine AND t.item = near.item AND ccg.stands($5, t, $2) OFFSET 0
					) AS t
					ORDER BY near.distance, near.clock DESC LIMIT 40
				), found AS (
					SELECT item, project, text, machine, name, person, at, 1 AS list, ordinality AS rank
					FROM ccg.search($1, $2, 100, NULL, NULL) WITH ORDINALITY
					UNION ALL
					SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at, 2, row_number() OVER (ORDER BY distance, t.clock DESC)
					FROM nearest AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
				)
				SELECT item, project, text, machine, name, person, at FROM found GROUP BY 1, 2, 3, 4, 5, 6, 7
				ORDER BY sum(1.0 / (60 + rank)) DESC, min(list) LIMIT $6
			$q$, place) USING query, of_projects, of_model, near::real[], m, most;
			RETURN;
		EXCEPTION WHEN OTHERS THEN
			-- words are found all the same
		END;
	END IF;
	RETURN QUERY
		SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at
		FROM (SELECT * FROM ccg.texts WHERE words @@ any_word) AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
		WHERE ccg.stands(m, t, of_projects)
		ORDER BY ts_rank(t.words, any_word, 1) DESC, t.clock DESC LIMIT most;
	IF FOUND OR wanted = '' THEN RETURN; END IF;
	RETURN QUERY
		SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at
		FROM (SELECT * FROM ccg.texts WHERE strpos(lower(text), lower(wanted)) > 0) AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
		WHERE ccg.stands(m, t, of_projects)
		ORDER BY t.clock DESC LIMIT most;
END $$;

-- Invitation, joining, leaving. An invitation is a login whose password is the code, and which may do nothing but `redeem`; that makes a
-- login of the member's own, so a session begun with the code can do nothing later. Passwords come as SCRAM verifiers: no statement,
-- log or row holds one. Works on managed servers, where the owner of the schema has CREATEROLE, and through a pooler that asks the server
-- for logins (PgBouncer: auth_query).

CREATE FUNCTION ccg.make_login(login name, verifier text, until timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF login !~ '^ccg_[0-9a-f]{16}$' OR verifier !~ '^SCRAM-SHA-256\$[0-9]{4,6}:[0-9A-Za-z+/=]{20,40}\$[0-9A-Za-z+/=]{44}:[0-9A-Za-z+/=]{44}$' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'this is no login of a member';
	END IF;
	PERFORM ccg.make_role(login, format('LOGIN PASSWORD %L VALID UNTIL %L IN ROLE %I',
		verifier, until, (SELECT members FROM ccg.about)));
END $$;

-- (nobody can drop the role of its own session: the next invitation does)
CREATE FUNCTION ccg.end_login(login name) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', login);
	EXECUTE format('REVOKE %I FROM %I', (SELECT members FROM ccg.about), login);
END $$;

-- By an owner, or by whoever owns the schema: so a space that lost its last owner gets one.
CREATE FUNCTION ccg.invite(login name, verifier text, as_role text, of_projects text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	good timestamptz := clock_timestamp() + interval '1 day';
	old name;
BEGIN
	IF session_user <> current_user THEN PERFORM ccg.acting('{owner}'); END IF;
	PERFORM ccg.durable();
	FOR old IN SELECT m.login FROM ccg.members AS m JOIN pg_roles ON rolname = m.login
		WHERE m.login <> session_user AND (removed IS NOT NULL OR (joined IS NULL AND m.until < clock_timestamp()))
	LOOP
		BEGIN
			EXECUTE format('DROP ROLE IF EXISTS %I', old);
		EXCEPTION WHEN dependent_objects_still_exist OR object_in_use THEN
			-- it made something of its own, which is for the server's owner
		END;
	END LOOP;
	PERFORM ccg.make_login(login, verifier, good);
	INSERT INTO ccg.members (login, role, projects, until) VALUES (login, as_role, of_projects, good);
	PERFORM ccg.note('invite', login || ' as ' || as_role);
END $$;

CREATE FUNCTION ccg.redeem(own name, verifier text, own_machine text, own_name text, own_person text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	invited ccg.members;
BEGIN
	PERFORM ccg.durable();
	UPDATE ccg.members SET removed = clock_timestamp()
		WHERE login = session_user AND joined IS NULL AND removed IS NULL AND until > clock_timestamp() RETURNING * INTO invited;
	IF NOT FOUND THEN
		RAISE insufficient_privilege USING MESSAGE = 'this code was used, was taken back or is too old';
	END IF;
	PERFORM ccg.make_login(own, verifier, 'infinity');
	INSERT INTO ccg.members (login, machine, name, person, role, projects, until, joined, invited_by, invited_at, address)
		VALUES (own, own_machine, own_name, own_person, invited.role, invited.projects, 'infinity', clock_timestamp(),
			invited.invited_by, invited.invited_at, inet_client_addr());
	PERFORM ccg.end_login(session_user);
	PERFORM ccg.note('join', own_machine);
END $$;

-- Takes a machine out: an owner any, each itself, with its texts. The row stays, so that nobody else can take the machine's id; its batches,
-- which take back what it said, until a snapshot stands for them; what it confirmed, for who was away.
CREATE FUNCTION ccg.expel(other text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('{reader,writer,owner}');
	gone name;
BEGIN
	IF other = m.machine THEN
		DELETE FROM ccg.documents WHERE name = 'join/' || other;
		DELETE FROM ccg.texts WHERE machine = other;
	ELSE
		PERFORM ccg.acting('{owner}');
	END IF;
	UPDATE ccg.members SET removed = clock_timestamp() WHERE machine = other AND removed IS NULL RETURNING login INTO gone;
	IF NOT FOUND THEN RETURN; END IF;
	DELETE FROM ccg.leases WHERE machine = other;
	PERFORM ccg.end_login(gone);
	PERFORM ccg.note('expel', other);
END $$;

CREATE FUNCTION ccg.change_member(other text, as_role text, of_projects text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM ccg.acting('{owner}');
	UPDATE ccg.members m SET role = as_role, projects = of_projects WHERE m.machine = other AND m.removed IS NULL;
	IF NOT FOUND THEN RAISE no_data_found USING MESSAGE = 'no such member'; END IF;
	PERFORM ccg.note('change', other || ' to ' || as_role);
END $$;

-- the caller is looked up once a statement, not once a row
CREATE POLICY reading ON ccg.about FOR SELECT USING (true);
CREATE POLICY reading ON ccg.members FOR SELECT USING (ccg.sees((SELECT ccg.me()), NULL));
CREATE POLICY reading ON ccg.batches FOR SELECT USING (ccg.sees((SELECT ccg.me()), project));
CREATE POLICY reading ON ccg.documents FOR SELECT USING (ccg.sees((SELECT ccg.me()),
	CASE WHEN name ~ '^snapshot/[^/]*/[0-9a-f]{32}-' THEN left(split_part(name, '/', 3), 32) END));
CREATE POLICY reading ON ccg.leases FOR SELECT USING (ccg.sees((SELECT ccg.me()), project));
CREATE POLICY reading ON ccg.texts FOR SELECT USING (ccg.sees((SELECT ccg.me()), project));
CREATE POLICY reading ON ccg.history FOR SELECT USING ((SELECT (ccg.me()).role) = 'owner');

-- Members read what the policies let them, and call what runs with the owner's rights: the other functions are for those alone. The public
-- may nothing in the schema; what is made is open to it at first. Called at the end of whatever changes the schema.
CREATE FUNCTION ccg.allow() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	members name := (SELECT members FROM ccg.about);
	one text;
BEGIN
	REVOKE ALL ON ALL TABLES IN SCHEMA ccg FROM PUBLIC;
	REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ccg FROM PUBLIC;
	EXECUTE format('GRANT USAGE ON SCHEMA ccg TO %1$I; GRANT SELECT ON ALL TABLES IN SCHEMA ccg TO %1$I', members);
	FOR one IN
		SELECT format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', oid::regclass) FROM pg_class
			WHERE relnamespace = 'ccg'::regnamespace AND relkind = 'r'
		UNION ALL SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', oid::regprocedure, members) FROM pg_proc
			WHERE pronamespace = 'ccg'::regnamespace AND (prosecdef OR proname = 'sees')
	LOOP
		EXECUTE one;
	END LOOP;
END $$;
SELECT ccg.allow();
