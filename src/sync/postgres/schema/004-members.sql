-- Invitation, joining, leaving. An invitation is a login whose password is the code, and which may do nothing but `redeem`; that makes a
-- login of the member's own, so a session begun with the code can do nothing later. Passwords come as SCRAM verifiers: no statement,
-- log or row holds one. Works on managed servers, where the owner of the schema has CREATEROLE, and through a pooler that asks the server
-- for logins (PgBouncer: auth_query).

-- logins of invitations that were taken: nobody can drop the role of its own session
CREATE TABLE ccg.spent (login name PRIMARY KEY);
ALTER TABLE ccg.spent ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION ccg.make_login(login name, verifier text, until timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	IF login !~ '^ccg_[0-9a-f]{16}$' OR verifier !~ '^SCRAM-SHA-256\$[0-9]{4,6}:[0-9A-Za-z+/=]{20,40}\$[0-9A-Za-z+/=]{44}:[0-9A-Za-z+/=]{44}$' THEN
		RAISE invalid_parameter_value USING MESSAGE = 'this is no login of a member';
	END IF;
	PERFORM ccg.make_role(login, format('LOGIN PASSWORD %L VALID UNTIL %L IN ROLE %I',
		verifier, until, (SELECT members FROM ccg.about)));
END $$;

CREATE FUNCTION ccg.end_login(login name) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', login);
	EXECUTE format('REVOKE %I FROM %I', (SELECT members FROM ccg.about), login);
	INSERT INTO ccg.spent VALUES (login) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION ccg.drop_spent() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
	old name;
BEGIN
	FOR old IN DELETE FROM ccg.members WHERE joined IS NULL AND until < clock_timestamp() RETURNING login LOOP
		PERFORM ccg.end_login(old);
	END LOOP;
	FOR old IN SELECT login FROM ccg.spent WHERE login <> session_user LOOP
		BEGIN
			EXECUTE format('DROP ROLE IF EXISTS %I', old);
			DELETE FROM ccg.spent WHERE login = old;
		EXCEPTION WHEN dependent_objects_still_exist OR object_in_use THEN
			-- it made something of its own, which is for the server's owner
		END;
	END LOOP;
END $$;

-- By an owner, or by whoever owns the schema: so a space that lost its last owner gets one.
CREATE FUNCTION ccg.invite(login name, verifier text, as_role text, of_projects text[], hours integer) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	good timestamptz := clock_timestamp() + make_interval(hours => least(greatest(hours, 1), 720));
BEGIN
	IF session_user <> current_user THEN PERFORM ccg.acting('owner'); END IF;
	PERFORM ccg.durable();
	PERFORM ccg.drop_spent();
	PERFORM ccg.make_login(login, verifier, good);
	INSERT INTO ccg.members (login, role, projects, until) VALUES (login, as_role, of_projects, good);
	PERFORM ccg.note('invite', login || ' as ' || as_role);
	RETURN good;
END $$;

CREATE FUNCTION ccg.redeem(own name, verifier text, own_machine text, own_name text, own_person text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	invited ccg.members;
BEGIN
	PERFORM ccg.durable();
	DELETE FROM ccg.members m WHERE m.login = session_user AND m.joined IS NULL AND m.until > clock_timestamp()
		RETURNING * INTO invited;
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

-- The row stays, so that nobody else can take the machine's id.
CREATE FUNCTION ccg.expel(other text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	gone name;
BEGIN
	PERFORM ccg.acting('owner');
	UPDATE ccg.members m SET removed = clock_timestamp() WHERE m.machine = other AND m.removed IS NULL RETURNING m.login INTO gone;
	IF NOT FOUND THEN RETURN; END IF;
	DELETE FROM ccg.leases l WHERE l.machine = other;
	PERFORM ccg.end_login(gone);
	PERFORM ccg.note('expel', other);
END $$;

CREATE FUNCTION ccg.change_member(other text, as_role text, of_projects text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM ccg.acting('owner');
	UPDATE ccg.members m SET role = as_role, projects = of_projects WHERE m.machine = other AND m.removed IS NULL;
	IF NOT FOUND THEN RAISE no_data_found USING MESSAGE = 'no such member'; END IF;
	PERFORM ccg.note('change', other || ' to ' || as_role);
END $$;

-- Takes its texts out of the search. Its batches, which take back what they said, stay until a snapshot stands for them; what it confirmed
-- stays, for who was away.
CREATE FUNCTION ccg.leave() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m ccg.members := ccg.acting('reader', 'writer', 'owner');
BEGIN
	DELETE FROM ccg.documents WHERE name = 'join/' || m.machine;
	DELETE FROM ccg.leases WHERE machine = m.machine;
	DELETE FROM ccg.texts WHERE machine = m.machine;
	UPDATE ccg.members SET removed = clock_timestamp() WHERE login = session_user;
	PERFORM ccg.end_login(session_user);
	PERFORM ccg.note('leave', m.machine);
END $$;

SELECT ccg.allow('EXECUTE ON FUNCTION ccg.invite(name, text, text, text[], integer), ccg.redeem(name, text, text, text, text), '
	'ccg.expel(text), ccg.change_member(text, text, text[]), ccg.leave()');
