import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../core/text/quoted.ts";
import { readText } from "../files/json-file.ts";
import { listFolder, tryStat } from "../files/quietly.ts";
import { errorCode, errorText } from "../files/system-failure.ts";
import { SHARED_FILE } from "../memory/shared.ts";
import { listProfiles, loadConfig } from "../store/config.ts";
import { writeText } from "../store/gate.ts";
import { configPath, databasePath, logPath, NO_STORE } from "../store/paths.ts";
import { findStoreDanger, refuseStoreLinks } from "../store/refuse-links.ts";
import { listSessions } from "../store/session/cycles.ts";
import { syncLine } from "../sync/last.ts";
import { type CheckEntry, type Finding, fail, info, ok, warn } from "./check.ts";
import type { DoctorFacts } from "./seen.ts";

const DAY_MS = 24 * 3600_000;

/** Makes a check of a store folder one that finds nothing while there is no store. */
const ifStoreExists =
	(check: (root: string) => Finding) =>
	({ root }: DoctorFacts): Finding[] =>
		root && existsSync(root) ? [check(root)] : [];

/** The store: writable, private, its configuration readable, no failures logged, its sessions and what is shared readable. */
export const STORE: CheckEntry[] = [
	["store.root", "store", checkStoreWritable],
	["store.modes", "permissions", ifStoreExists(checkStorePermissions)],
	["store.config", "config.json", ifStoreExists(checkConfigFile)],
	["store.files", "files", ifStoreExists(checkStoreFiles)],
	["store.log", "failures", ifStoreExists(checkFailureLog)],
	["store.sessions", "sessions", checkSessionsReadable],
	["store.sync", "last sync", checkLastSync],
];

/** Whether the store can be written: tried with a file, since a full disk shows in no permission bit. */
function checkStoreWritable({ root }: DoctorFacts): Finding {
	if (!root) return fail(NO_STORE);
	if (!existsSync(root)) return info(`${root} is not there yet; the first hook makes it`);
	const path = join(root, `.doctor.${process.pid}.0.tmp`);
	try {
		writeText(path, " ".repeat(64 * 1024));
		rmSync(path);
		return ok(root);
	} catch (error) {
		const fix = `make room on its disk and ${root} writable for you, or install with CCG_HOME set to another folder of yours`;
		return fail(`${root} can't be written (${errorText(error)})`, fix);
	}
}

/** Whether others may write the store's files, and so put text into the next session. */
function checkStorePermissions(root: string): Finding {
	const danger = findStoreDanger(root);
	if (danger) return fail(danger, "until then hooks and commands refuse this store");
	const notes = listFolder(join(root, "projects")).flatMap((name) =>
		["MEMORY.md", SHARED_FILE].map((file) => join(root, "projects", name, file)),
	);
	const paths = [...listFolder(root).map((name) => join(root, name)), ...notes];
	const writableByOthers = paths.filter((path) => ((tryStat(path)?.mode ?? 0) & 0o022) !== 0);
	if (writableByOthers.length === 0) return ok("writable for nobody else");
	return warn(
		`others may write: ${writableByOthers.join(", ")}`,
		`chmod go-w ${writableByOthers.map(shellWord).join(" ")}`,
	);
}

/** Whether `config.json` can be read, and which of its values and of the profiles' are wrong. */
function checkConfigFile(root: string): Finding {
	const path = configPath(root);
	const { problems, unusable } = loadConfig(root);
	if (unusable) return fail(`${path}: ${unusable}; all defaults count instead`, "mend or delete it");
	problems.push(...listProfiles(root).flatMap(({ problem }) => problem ?? []));
	if (problems.length === 0) return ok(existsSync(path) ? path : "none, all defaults");
	return warn(`${problems.join("; ")}. What does not fit does not count.`, `mend ${path}, or the profile`);
}

/** Whether the store holds a symbolic link, which stops every hook, or damaged databases that were put aside. */
function checkStoreFiles(root: string): Finding {
	try {
		for (const sid of [undefined, ...listFolder(join(root, "sessions"))]) refuseStoreLinks(root, sid);
	} catch (error) {
		if (errorCode(error) === "ELOOP") return fail(`no hook works: ${errorText(error)}`, "remove the link");
	}
	const damaged = listFolder(root).filter((name) => name.includes(".damaged-"));
	if (damaged.length === 0) return ok("none damaged");
	const fix = "look at them and delete them; `ccg gc` deletes old ones";
	return warn(`damaged, quarantined: ${damaged.map((name) => join(root, name)).join(", ")}`, fix);
}

/** The failures that hooks and commands logged in the last 24 hours. */
function checkFailureLog(root: string): Finding {
	const recent = (readText(logPath(root)) ?? "")
		.split("\n")
		.filter((line) => Math.abs(Date.now() - Date.parse(line.slice(0, line.indexOf(" ")))) <= DAY_MS);
	if (recent.length === 0) return ok("none in the last 24 hours");
	return warn(`${recent.length} in the last 24 hours, the last one: ${recent.at(-1)}`, `read ${logPath(root)}`);
}

/** How the last sync went; nothing where this machine shares no space. */
function checkLastSync({ root, onProblem }: DoctorFacts): Finding[] {
	if (!root) return [];
	try {
		const sync = syncLine({ root, onProblem }, Date.now());
		if (!sync) return [];
		return [sync.isWrong ? warn(sync.line, "'ccg sync status' names what was refused or failed") : info(sync.line)];
	} catch (error) {
		return [fail(`what is shared can't be read (${errorText(error)})`, "see 'ccg sync --help'")];
	}
}

/** Whether the sessions in the database can be read: a finding only where they can't. */
function checkSessionsReadable({ root, onProblem }: DoctorFacts): Finding[] {
	try {
		if (root) listSessions({ root, onProblem }, { most: 1 });
		return [];
	} catch (error) {
		const fix = `make ${databasePath(root!)} readable for you; where a newer ccg wrote it, update this one`;
		return [fail(`they can't be read (${errorText(error)})`, fix)];
	}
}
