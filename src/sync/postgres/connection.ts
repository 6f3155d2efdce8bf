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
	/** Files. */
	rootCert?: string;
	cert?: string;
	key?: string;
	login: Login;
}

export interface Login {
	user: string;
	password: string;
}

type SslMode = "disable" | "verify-ca" | "verify-full";

/**
 * Where `postgres://…` or `postgres:` leads, with what PG's variables add. Off this machine the server's certificate and name are
 * verified, also where the weaker `require` or `prefer` is asked for; `sslmode=disable` has to be written out. Throws without repeating
 * the text, which may hold a password.
 */
export function targetOf(place: string, env: Env): Target {
	const { host, port, path, user, password, options } = partsOf(place);
	const login = { user: user || env.PGUSER || "", password: password || env.PGPASSWORD || "" };
	const option = (name: string, variable: string): string => options.get(name) || env[variable] || "";
	const server = option("host", "") || host || env.PGHOST || "localhost";
	const database = path || env.PGDATABASE || login.user;
	if (!database) throw coded("EPLACE", "no database is named: write postgres://HOST/DATABASE, or set PGDATABASE");
	const number = Number(option("port", "") || port || env.PGPORT || 5432);
	const files = {
		rootCert: option("sslrootcert", "PGSSLROOTCERT"),
		cert: option("sslcert", "PGSSLCERT"),
		key: option("sslkey", "PGSSLKEY"),
	};
	return {
		host: server,
		port: number,
		database,
		sslmode: modeOf(option("sslmode", "PGSSLMODE"), isHere(server)),
		...Object.fromEntries(Object.entries(files).filter(([, file]) => file && file !== "system")),
		login,
	};
}

function partsOf(place: string) {
	const wrong = "this is no address of a PostgreSQL server; one looks like postgres://HOST/DATABASE";
	if (!/^postgres(?:ql)?:/.test(place)) throw coded("EPLACE", wrong);
	const url = URL.canParse(place) ? new URL(place) : null;
	try {
		if (url)
			return {
				host: decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ""),
				port: url.port,
				path: decodeURIComponent(url.pathname.slice(1)),
				user: decodeURIComponent(url.username),
				password: decodeURIComponent(url.password),
				options: url.searchParams,
			};
	} catch {
		// what is thrown would hold the text
	}
	throw coded("EPLACE", wrong);
}

/** A socket or the loopback. */
const isHere = (host: string): boolean => /^(?:\/|localhost$|::1$|127(?:\.\d{1,3}){3}$)/.test(host);

function modeOf(asked: string, here: boolean): SslMode {
	if (asked === "disable" || asked === "verify-ca" || asked === "verify-full") return asked;
	if (!/^(?:|allow|prefer|require)$/.test(asked)) throw coded("EPLACE", "sslmode is verify-full, verify-ca or disable");
	return here && asked !== "require" ? "disable" : "verify-full";
}

/** The same as text, without what is secret: for the configuration, for messages. `targetOf` reads it. */
export function placeOf({ host, port, database, sslmode, rootCert, cert, key }: Target): string {
	const isFolder = host.startsWith("/");
	const options = new URLSearchParams({
		...(isFolder && { host, port: String(port) }),
		sslmode,
		...(rootCert && { sslrootcert: rootCert }),
		...(cert && { sslcert: cert }),
		...(key && { sslkey: key }),
	});
	const name = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
	return `postgres://${isFolder ? "" : `${name}:${port}`}/${encodeURIComponent(database)}?${options}`;
}

/** What the client is told about TLS. Throws when a certificate can't be read. */
export function tlsOf({ sslmode, rootCert, cert, key }: Target): false | object {
	if (sslmode === "disable") return false;
	return {
		rejectUnauthorized: true,
		...(rootCert && { ca: readFileSync(rootCert, "utf8") }),
		...(cert && { cert: readFileSync(cert, "utf8") }),
		...(key && { key: readFileSync(key, "utf8") }),
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
