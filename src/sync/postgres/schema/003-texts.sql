-- What a team may search, where the space is not encrypted. Each machine writes its own rows; of an item the latest stands, NULL: deleted.
CREATE TABLE ccg.texts (
	machine text NOT NULL,
	item text NOT NULL CHECK (length(item) <= 200),
	project text,
	text text CHECK (octet_length(text) <= 262144),
	clock text COLLATE "C" NOT NULL CHECK (length(clock) <= 40),
	login name NOT NULL,
	at timestamptz NOT NULL,
	address inet,
	words tsvector GENERATED ALWAYS AS (to_tsvector('pg_catalog.english', text)) STORED,
	PRIMARY KEY (machine, item)
);
CREATE INDEX ON ccg.texts (item, clock);
CREATE INDEX ON ccg.texts USING gin (words);

CREATE FUNCTION ccg.tell(of_machine text, items text[], of_projects text[], said text[], clocks text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting_as(of_machine, 'writer', 'owner');
BEGIN
	IF EXISTS (SELECT FROM unnest(of_projects) AS project WHERE NOT ccg.sees(m, project)) THEN
		RAISE insufficient_privilege USING MESSAGE = 'this project is not shared with this machine';
	END IF;
	INSERT INTO ccg.texts AS t
		SELECT m.machine, item, project, one, clock, session_user, clock_timestamp(), inet_client_addr()
		FROM unnest(items, of_projects, said, clocks) AS new (item, project, one, clock)
		ON CONFLICT (machine, item) DO UPDATE SET (project, text, clock, login, at, address) =
			(excluded.project, excluded.text, excluded.clock, excluded.login, excluded.at, excluded.address)
		WHERE t.clock < excluded.clock;
END $$;

-- Whether a text is the latest of its item, and for this member to see.
CREATE FUNCTION ccg.stands(m ccg.members, t ccg.texts, of_projects text[]) RETURNS boolean
LANGUAGE sql STABLE AS $$
	SELECT ccg.sees(m, t.project) AND (of_projects IS NULL OR t.project = ANY (of_projects)) AND NOT EXISTS (
		SELECT FROM ccg.texts AS later
		WHERE later.item = t.item AND later.clock > t.clock AND later.project IS NOT DISTINCT FROM t.project)
$$;

-- Any word counts, and where none is found as one (scripts without spaces), the query as it stands. A function, not the table under its
-- policy: rights by row are checked before an index on words could be asked.
CREATE FUNCTION ccg.search(query text, of_projects text[], many integer)
RETURNS TABLE (item text, project text, text text, machine text, name text, person text, at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m ccg.members := ccg.me();
	wanted text := left(query, 1000);
	any_word tsquery := replace(plainto_tsquery('pg_catalog.english', wanted)::text, '&', '|')::tsquery;
BEGIN
	IF m.role IS NULL THEN RETURN; END IF;
	RETURN QUERY
		SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at
		FROM (SELECT * FROM ccg.texts WHERE words @@ any_word) AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
		WHERE ccg.stands(m, t, of_projects)
		ORDER BY ts_rank(t.words, any_word, 1) DESC, t.clock DESC LIMIT least(greatest(many, 1), 100);
	IF FOUND OR wanted = '' THEN RETURN; END IF;
	RETURN QUERY
		SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at
		FROM (SELECT * FROM ccg.texts WHERE strpos(lower(text), lower(wanted)) > 0) AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
		WHERE ccg.stands(m, t, of_projects)
		ORDER BY t.clock DESC LIMIT least(greatest(many, 1), 100);
END $$;

ALTER TABLE ccg.texts ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON ccg.texts FOR SELECT USING (
	(SELECT (ccg.me()).role) IS NOT NULL
	AND (project IS NULL OR (SELECT (ccg.me()).projects) IS NULL OR project = ANY ((SELECT (ccg.me()).projects)::text[])));

SELECT ccg.allow('SELECT ON ccg.texts',
	'EXECUTE ON FUNCTION ccg.tell(text, text[], text[], text[], text[]), ccg.search(text, text[], integer)');
