import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { readText } from "../files/json-file.ts";
import { namesIn, quietStat } from "../files/quietly.ts";
import { errorCode, whyOf } from "../files/system-failure.ts";
import { SHARED } from "../memory/shared.ts";
import { loadConfig } from "../store/config.ts";
import { writeText } from "../store/gate.ts";
import { configPath, databasePath, logPath, NO_STORE } from "../store/paths.ts";
import { refuseStoreLinks, storeDanger } from "../store/refuse-links.ts";
import { listSessions } from "../store/session/cycles.ts";
import { syncLine } from "../sync/last.ts";
import { type Finding, fail, info, type Look, ok, warn } from "./check.ts";
import type { Seen } from "./seen.ts";

const DAY_MS = 24 * 3600_000;

const whereStoreIs =
	(look: (root: string) => Finding) =>
	({ root }: Seen): Finding[] =>
		root && existsSync(root) ? [look(root)] : [];

/** The store: writable, private, its configuration readable, no failures logged, its sessions and what is shared readable. */
export const STORE: Look[] = [
	["store.root", "store", storeFolder],
	["store.modes", "permissions", whereStoreIs(modes)],
	["store.config", "config.json", whereStoreIs(config)],
	["store.files", "files", whereStoreIs(files)],
	["store.log", "failures", whereStoreIs(failures)],
	["store.sessions", "sessions", sessions],
	["store.sync", "last sync", sync],
];

/** Writes as much as a small checkpoint: of a full disk rights say nothing. */
function storeFolder({ root }: Seen): Finding {
	if (!root) return fail(NO_STORE);
	if (!existsSync(root)) return info(`${root} is not there yet; the first hook makes it`);
	const path = join(root, `.doctor.${process.pid}.0.tmp`);
	try {
		writeText(path, " ".repeat(64 * 1024));
		rmSync(path);
		return ok(root);
	} catch (error) {
		const fix = `make room on its disk and ${root} writable for you, or install with CCG_HOME set to another folder of yours`;
		return fail(`${root} can't be written (${whyOf(error)})`, fix);
	}
}

/** Whoever may write here may put words into the next session. */
function modes(root: string): Finding {
	const danger = storeDanger(root);
	if (danger) return fail(danger, "until then hooks and commands refuse this store");
	const projects = join(root, "projects");
	const notes = namesIn(projects).flatMap((name) => ["MEMORY.md", SHARED].map((file) => join(projects, name, file)));
	const paths = [...namesIn(root).map((name) => join(root, name)), ...notes];
	const open = paths.filter((path) => ((quietStat(path)?.mode ?? 0) & 0o022) !== 0);
	if (open.length === 0) return ok("writable for nobody else");
	return warn(`others may write: ${open.join(", ")}`, `chmod go-w ${open.map(shellWord).join(" ")}`);
}

function config(root: string): Finding {
	const path = configPath(root);
	if (!existsSync(path)) return ok("none, all defaults");
	const { problems, unusable } = loadConfig(root);
	if (unusable) return fail(`${path}: ${unusable}; all defaults count instead`, "mend or delete it");
	if (problems.length === 0) return ok(path);
	return warn(`${problems.join("; ")}. The defaults count for these.`, `mend ${path}`);
}

/** Damaged databases are kept for whoever wants to look; links stop every hook. */
function files(root: string): Finding {
	try {
		for (const sid of [undefined, ...namesIn(join(root, "sessions"))]) refuseStoreLinks(root, sid);
	} catch (error) {
		if (errorCode(error) === "ELOOP") return fail(`no hook works: ${whyOf(error)}`, "remove the link");
	}
	const damaged = namesIn(root).filter((name) => name.includes(".damaged-"));
	if (damaged.length === 0) return ok("none damaged");
	const fix = "look at them and delete them; `ccg gc` deletes old ones";
	return warn(`damaged, quarantined: ${damaged.map((name) => join(root, name)).join(", ")}`, fix);
}

function failures(root: string): Finding {
	const recent = (readText(logPath(root)) ?? "")
		.split("\n")
		.filter((line) => Math.abs(Date.now() - Date.parse(line.slice(0, line.indexOf(" ")))) <= DAY_MS);
	if (recent.length === 0) return ok("none in the last 24 hours");
	return warn(`${recent.length} in the last 24 hours, the last one: ${recent.at(-1)}`, `read ${logPath(root)}`);
}

/** Only where a space is shared. */
function sync({ root, tell }: Seen): Finding[] {
	if (!root) return [];
	try {
		const found = syncLine({ root, tell }, Date.now());
		if (!found) return [];
		return [found.isWrong ? warn(found.line, "'ccg sync status' names what was refused or failed") : info(found.line)];
	} catch (error) {
		return [fail(`what is shared can't be read (${whyOf(error)})`, "see 'ccg sync --help'")];
	}
}

/** Whether they can be read; what became of each is told by `ccg status`. */
function sessions({ root, tell }: Seen): Finding[] {
	try {
		if (root) listSessions({ root, tell }, { most: 1 });
		return [];
	} catch (error) {
		const fix = `make ${databasePath(root!)} readable for you; where a newer ccg wrote it, update this one`;
		return [fail(`they can't be read (${whyOf(error)})`, fix)];
	}
}
