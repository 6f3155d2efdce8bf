import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepLogin, keptLogin, placeOf, targetOf, tlsOf } from "../../../src/sync/postgres/connection.ts";
import { scratch } from "../../scratch-home.ts";

const PG = { PGHOST: "db.example.org", PGDATABASE: "team", PGPORT: "6432" };

test.each([
	["postgres://db.example.org/team", {}, "postgres://db.example.org:5432/team?sslmode=verify-full"],
	["postgresql://ada:pw@db.example.org:5/team", {}, "postgres://db.example.org:5/team?sslmode=verify-full"],
	["postgres:", PG, "postgres://db.example.org:6432/team?sslmode=verify-full"],
	["postgres:", { ...PG, PGSSLMODE: "verify-ca" }, "postgres://db.example.org:6432/team?sslmode=verify-ca"],
	["postgres://db.example.org/team?sslmode=require", {}, "postgres://db.example.org:5432/team?sslmode=verify-full"],
	["postgres://db.example.org/team?sslmode=prefer", {}, "postgres://db.example.org:5432/team?sslmode=verify-full"],
	["postgres://db.example.org/team?sslmode=disable", {}, "postgres://db.example.org:5432/team?sslmode=disable"],
	["postgres://localhost/team", {}, "postgres://localhost:5432/team?sslmode=disable"],
	["postgres://localhost.example.org/team", {}, "postgres://localhost.example.org:5432/team?sslmode=verify-full"],
	["postgres://127.0.0.1/team?sslmode=require", {}, "postgres://127.0.0.1:5432/team?sslmode=verify-full"],
	["postgres://[::1]:5433/team", {}, "postgres://[::1]:5433/team?sslmode=disable"],
	["postgres://[2001:db8::1]/team", {}, "postgres://[2001:db8::1]:5432/team?sslmode=verify-full"],
	["postgres:///team?host=/run/pg", {}, "postgres:///team?host=%2Frun%2Fpg&port=5432&sslmode=disable"],
	["postgres://ada@h/?sslrootcert=/ca.pem", {}, "postgres://h:5432/ada?sslmode=verify-full&sslrootcert=%2Fca.pem"],
])("%s", (place, env, shown) => {
	const target = targetOf(place, env);
	expect(placeOf(target)).toBe(shown);
	// what is kept leads to the same place
	expect(placeOf(targetOf(shown, {}))).toBe(shown);
	expect(shown).not.toContain("pw");
});

test.each([
	"http://h/d",
	"postgres://h:pw-1@h:99999999/d",
	"postgres://a:pw-1%zz@h/d",
	"postgres://h",
	"postgres://u:pw-1@h/d?sslmode=no",
])("%s is refused, and not repeated", (place) => {
	let message = "";
	try {
		targetOf(place, {});
	} catch (error) {
		message = `${(error as Error).message} ${JSON.stringify(error)}`;
	}
	expect(message).toMatch(/./);
	expect(message).not.toContain("pw-1");
});

test("certificates are verified wherever TLS is used", () => {
	expect(tlsOf(targetOf("postgres://h/d?sslmode=allow", {}))).toEqual({ rejectUnauthorized: true });
	expect(() => tlsOf(targetOf("postgres://h/d?sslrootcert=/nowhere.pem", {}))).toThrow(/nowhere/);
});

test("logins are kept in a file of their own that is the user's alone", () => {
	const root = scratch();
	const [a, b] = ["postgres://a/x", "postgres://b/x"];
	expect(keptLogin(root, a)).toBeNull();
	keepLogin(root, a, { user: "ccg_1", password: "s3cret-of-a" });
	keepLogin(root, b, { user: "ccg_2", password: "s3cret-of-b" });
	expect(keptLogin(root, a)).toEqual({ user: "ccg_1", password: "s3cret-of-a" });
	expect(keptLogin(root, b)).toEqual({ user: "ccg_2", password: "s3cret-of-b" });
	expect(statSync(join(root, "sync", "postgres.json")).mode & 0o777).toBe(0o600);
});
