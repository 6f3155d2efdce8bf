import { readFileSync } from "node:fs";
import { join } from "node:path";
import { coded } from "../../files/system-failure.ts";
import { writeJson } from "../../store/gate.ts";
import { parseObject, readText } from "../../store/json-file.ts";
import type { Env } from "../../store/paths.ts";

/** A server and how it is spoken to; nothing secret but `login`, where what is empty is the system's user and the password file (PGPASSFILE). */
export interface Target {
	/** A name, an address or the folder of a socket. */
	host: string;
	port: number;
	database: string;
	sslmode: SslMode;
	/** By the names that an address has for them. */
	files: Partial<Record<keyof typeof FILES, string>>;
	login: Login;
}

export interface Login {
	user: string;
	password: string;
}

type SslMode = "disable" | "verify-ca" | "verify-full";
/** What the client calls them. */
const FILES = { sslrootcert: "ca", sslcert: "cert", sslkey: "key" } as const;

/**
 * Where `postgres://…` or `postgres:` leads, with what PG's variables add. Off this machine the server's certificate and name are
 * verified, also where the weaker `require` or `prefer` is asked for; `sslmode=disable` has to be written out. Throws without repeating
 * the text, which may hold a password.
 */
export function targetOf(place: string, env: Env): Target {
	const url = /^postgres(?:ql)?:/.test(place) && URL.canParse(place) ? new URL(place) : null;
	if (!url) throw coded("EPLACE", WRONG);
	const said = (name: string, part = ""): string =>
		url.searchParams.get(name) || decoded(part) || env[`PG${name.toUpperCase()}`] || "";
	const host = said("host", url.hostname.replace(/^\[|\]$/g, "")) || "localhost";
	const login = { user: said("user", url.username), password: said("password", url.password) };
	const database = said("database", url.pathname.slice(1)) || login.user;
	if (!database) throw coded("EPLACE", "no database is named: write postgres://HOST/DATABASE, or set PGDATABASE");
	const names = Object.keys(FILES) as (keyof typeof FILES)[];
	const files = names.flatMap((name) => (["", "system"].includes(said(name)) ? [] : [[name, said(name)]]));
	return {
		...{ host, database, login, files: Object.fromEntries(files) },
		port: Number(said("port", url.port) || 5432),
		sslmode: modeOf(said("sslmode"), isHere(host)),
	};
}

const WRONG = "this is no address of a PostgreSQL server; one looks like postgres://HOST/DATABASE";

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		// what is thrown would hold the text
		throw coded("EPLACE", WRONG);
	}
}

/** A socket or the loopback. */
const isHere = (host: string): boolean => /^(?:\/|localhost$|::1$|127(?:\.\d{1,3}){3}$)/.test(host);

function modeOf(asked: string, here: boolean): SslMode {
	if (asked === "disable" || asked === "verify-ca" || asked === "verify-full") return asked;
	if (!/^(?:|allow|prefer|require)$/.test(asked)) throw coded("EPLACE", "sslmode is verify-full, verify-ca or disable");
	return here && asked !== "require" ? "disable" : "verify-full";
}

/** The same as text, without what is secret: for the configuration, for messages. `targetOf` reads it. */
export function placeOf({ host, port, database, sslmode, files }: Target): string {
	const isFolder = host.startsWith("/");
	const options = new URLSearchParams({ ...(isFolder && { host, port: String(port) }), sslmode, ...files });
	const name = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
	return `postgres://${isFolder ? "" : `${name}:${port}`}/${encodeURIComponent(database)}?${options}`;
}

/** What the client is told about TLS. Throws when a certificate can't be read. */
export function tlsOf({ sslmode, files }: Target): false | object {
	if (sslmode === "disable") return false;
	const read = Object.entries(FILES).flatMap(([name, called]) => {
		const file = files[name as keyof typeof FILES];
		return file ? [[called, readFileSync(file, "utf8")]] : [];
	});
	return {
		rejectUnauthorized: true,
		...Object.fromEntries(read),
		...(sslmode === "verify-ca" && { checkServerIdentity: () => undefined }),
	};
}

const loginsPath = (root: string): string => join(root, "sync", "postgres.json");

/** The login for a place that `keepLogin` has kept in the store. */
export function keptLogin(root: string, place: string): Login | null {
	const login = parseObject(readText(loginsPath(root)) ?? "")?.[place] as Partial<Login> | undefined;
	return typeof login?.user === "string" && typeof login.password === "string" ? (login as Login) : null;
}

/** Keeps it in a file of its own that nobody else may read (0600). */
export function keepLogin(root: string, place: string, login: Login): void {
	const others = parseObject(readText(loginsPath(root)) ?? "");
	writeJson(loginsPath(root), {}, { exact: { ...others, [place]: login }, durable: true });
}
