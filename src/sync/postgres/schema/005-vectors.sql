-- What texts mean: a vector by the teller's own model beside a text, for a database with the extension `vector` (pgvector). Kept as plain
-- numbers, of the length that a model gives: the extension may come, move to another schema and go at any time, and nothing rests on it
-- but one query. No index: an approximate one names the nearest of all, and rights, project and model would then leave holes.
DO $$
BEGIN
	CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
EXCEPTION WHEN OTHERS THEN
	-- not there, or not this owner's to install: words alone are searched
END $$;

CREATE TABLE ccg.vectors (
	machine text NOT NULL,
	item text NOT NULL,
	-- of the text of this clock
	clock text COLLATE "C" NOT NULL,
	model text NOT NULL CHECK (length(model) BETWEEN 1 AND 200),
	-- NULL: the model does not take that text
	numbers real[] CHECK (cardinality(numbers) <= 4096 AND array_ndims(numbers) = 1
		AND array_position(numbers, NULL) IS NULL AND NOT numbers && '{NaN,Infinity,-Infinity}'),
	length integer GENERATED ALWAYS AS (cardinality(numbers)) STORED,
	PRIMARY KEY (machine, item),
	FOREIGN KEY (machine, item) REFERENCES ccg.texts ON DELETE CASCADE
);
-- such numbers don't get smaller
ALTER TABLE ccg.vectors ALTER COLUMN numbers SET STORAGE EXTERNAL;

-- The schema of the extension; NULL: there is none.
CREATE FUNCTION ccg.vector_schema() RETURNS name
LANGUAGE sql STABLE AS $$
	SELECT n.nspname FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
	WHERE e.extname = 'vector' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
$$;

-- Texts of a machine that lack a vector of its model, the newest first; none where nobody could search them.
CREATE FUNCTION ccg.unembedded(of_machine text, of_model text, many integer) RETURNS TABLE (item text, clock text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting_as(of_machine, 'writer', 'owner');
BEGIN
	IF ccg.vector_schema() IS NULL THEN RETURN; END IF;
	RETURN QUERY
		SELECT t.item, t.clock FROM ccg.texts AS t
		WHERE t.machine = m.machine AND t.text IS NOT NULL AND t.project IS NOT NULL AND ccg.sees(m, t.project) AND NOT EXISTS (
			SELECT FROM ccg.vectors AS v
			WHERE (v.machine, v.item, v.clock, v.model) = (t.machine, t.item, t.clock, of_model))
		ORDER BY t.clock DESC LIMIT least(greatest(many, 1), 100);
END $$;

CREATE FUNCTION ccg.embed(of_machine text, of_model text, items text[], clocks text[], vectors text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting_as(of_machine, 'writer', 'owner');
BEGIN
	INSERT INTO ccg.vectors AS v (machine, item, clock, model, numbers)
		SELECT t.machine, t.item, t.clock, of_model, vector::real[]
		FROM unnest(items, clocks, vectors) AS new (item, clock, vector)
		JOIN ccg.texts AS t ON (t.machine, t.item, t.clock) = (m.machine, new.item, new.clock)
		ON CONFLICT (machine, item) DO UPDATE SET (clock, model, numbers) = (excluded.clock, excluded.model, excluded.numbers);
END $$;

-- As `search` by words, its order and that of the nearest in meaning joined by reciprocal rank.
CREATE FUNCTION ccg.search_near(query text, of_projects text[], many integer, of_model text, near text)
RETURNS TABLE (item text, project text, text text, machine text, name text, person text, at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.me();
	place name := ccg.vector_schema();
	-- read once, not for each row
	wanted real[] := near;
BEGIN
	IF place IS NULL OR m.role IS NULL THEN
		RETURN QUERY SELECT * FROM ccg.search(query, of_projects, many);
		RETURN;
	END IF;
	RETURN QUERY EXECUTE format($q$
		WITH near AS (
			SELECT machine, item, clock, v.numbers::%1$I.vector OPERATOR(%1$I.<=>) $4::%1$I.vector AS distance
			FROM ccg.vectors AS v JOIN ccg.texts AS t USING (machine, item, clock)
			WHERE v.model = $3 AND v.length = cardinality($4)
				AND ccg.sees($5, t.project) AND ($2 IS NULL OR t.project = ANY ($2))
			ORDER BY distance, clock DESC
		), nearest AS (
			SELECT t.*, near.distance FROM near CROSS JOIN LATERAL (
				-- one by one, until there are enough: that is what costs
				SELECT * FROM ccg.texts AS t WHERE t.machine = near.machine AND t.item = near.item AND ccg.stands($5, t, $2) OFFSET 0
			) AS t
			ORDER BY near.distance, near.clock DESC LIMIT 40
		), found AS (
			SELECT item, project, text, machine, name, person, at, 1 AS list, ordinality AS rank
			FROM ccg.search($1, $2, 100) WITH ORDINALITY
			UNION ALL
			SELECT t.item, t.project, t.text, t.machine, w.name, w.person, t.at, 2, row_number() OVER (ORDER BY distance, t.clock DESC)
			FROM nearest AS t LEFT JOIN ccg.members AS w ON w.machine = t.machine
		)
		SELECT item, project, text, machine, name, person, at FROM found GROUP BY 1, 2, 3, 4, 5, 6, 7
		ORDER BY sum(1.0 / (60 + rank)) DESC, min(list) LIMIT $6
	$q$, place) USING query, of_projects, of_model, wanted, m, least(greatest(many, 1), 100);
END $$;

-- by the functions alone
ALTER TABLE ccg.vectors ENABLE ROW LEVEL SECURITY;
SELECT ccg.allow('EXECUTE ON FUNCTION ccg.unembedded(text, text, integer), ccg.embed(text, text, text[], text[], text[]), '
	'ccg.search_near(text, text[], integer, text, text)');
