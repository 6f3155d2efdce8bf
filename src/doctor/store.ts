import { accessSync, constants, existsSync, readdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { whyOf } from "../files/system-failure.ts";
import { loadConfig } from "../store/config/config.ts";
import { hostOf, isOn } from "../store/config/embeddings.ts";
import { readText } from "../store/json-file.ts";
import { configPath, logPath } from "../store/paths.ts";
import { storeDanger } from "../store/store-owner.ts";
import { faultyFiles } from "../store/upkeep/faulty-files.ts";
import type { DoctorCheck } from "./check.ts";

const DAY_MS = 24 * 3600_000;

/** The store: there, writable, private, its configuration readable, no failures logged. `null`: there is no place for one. */
export function checkStore(root: string | null, now: Date): DoctorCheck[] {
	if (!root)
		return [
			{
				id: "store.root",
				status: "fail",
				title: "store",
				detail: "neither CCG_HOME nor HOME is set, so nothing can be kept",
				fix: "set HOME, or CCG_HOME to a folder of yours",
			},
		];
	if (!existsSync(root)) return [checkAbsent(root)];
	return [
		checkWritable(root),
		checkModes(root),
		checkConfig(root),
		...checkEmbeddings(root),
		checkFiles(root),
		checkLog(root, now),
	];
}

function checkAbsent(root: string): DoctorCheck {
	const check = { id: "store.root", title: "store" };
	let parent = dirname(root);
	while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
	try {
		accessSync(parent, constants.W_OK);
		return { ...check, status: "info", detail: `${root} is not there yet; the first hook makes it` };
	} catch {
		return {
			...check,
			status: "fail",
			detail: `${root} is not there and ${parent} may not be written`,
			fix: `make ${parent} writable, or set CCG_HOME to a folder of yours`,
		};
	}
}

function checkWritable(root: string): DoctorCheck {
	const check = { id: "store.root", title: "store" };
	const probe = join(root, `.doctor-${process.pid}`);
	try {
		writeFileSync(probe, "", { mode: 0o600, flag: "wx" });
		unlinkSync(probe);
		return { ...check, status: "ok", detail: root };
	} catch (error) {
		return {
			...check,
			status: "fail",
			detail: `${root} can't be written (${whyOf(error)})`,
			fix: `make ${root} writable for you, or set CCG_HOME to a folder of yours`,
		};
	}
}

/** Whoever may write here may put words into the next session. */
function checkModes(root: string): DoctorCheck {
	const check = { id: "store.modes", title: "permissions" };
	const danger = storeDanger(root);
	if (danger)
		return { ...check, status: "fail", detail: danger, fix: "until then hooks and commands refuse this store" };
	const open = [root, ...childrenOf(root)].filter((path) => (modeOf(path) & 0o022) !== 0);
	if (open.length === 0) return { ...check, status: "ok", detail: "writable for nobody else" };
	return {
		...check,
		status: "warn",
		detail: `others may write: ${open.join(", ")}`,
		fix: `chmod -R go-w '${root.replaceAll("'", "'\\''")}'`,
	};
}

function checkConfig(root: string): DoctorCheck {
	const check = { id: "store.config", title: "config.json" };
	const path = configPath(root);
	if (!existsSync(path)) return { ...check, status: "ok", detail: "none, all defaults" };
	const { problems, unusable } = loadConfig(root);
	if (unusable)
		return {
			...check,
			status: "fail",
			detail: `${path}: ${unusable}; all defaults count instead`,
			fix: "mend or delete it",
		};
	if (problems.length === 0) return { ...check, status: "ok", detail: path };
	const detail = `${problems.join("; ")}. The defaults count for these.`;
	return { ...check, status: "warn", detail, fix: `mend ${path}` };
}

/** Where text goes, where semantic search is on. */
function checkEmbeddings(root: string): DoctorCheck[] {
	const { embeddings } = loadConfig(root).config;
	if (!isOn(embeddings)) return [];
	const check = { id: "store.embeddings", title: "semantic search" };
	const where = hostOf(embeddings);
	if (!where?.isElsewhere)
		return [{ ...check, status: "ok", detail: `${where?.host ?? embeddings.onnx}, on this machine` }];
	return [
		{
			...check,
			status: "warn",
			detail: `redacted text of your sessions leaves this machine to ${where.host}`,
			fix: "if that is not meant, take embeddings out of config.json, or name an endpoint on this machine",
		},
	];
}

/** Damaged files are kept for whoever wants to look; links stop every hook. */
function checkFiles(root: string): DoctorCheck {
	const check = { id: "store.files", title: "files" };
	const { damaged, links } = faultyFiles(root);
	const parts = [
		links.length && `symbolic links, which no hook follows: ${some(links)}`,
		damaged.length && `damaged, quarantined: ${some(damaged)}`,
	].filter(Boolean);
	if (parts.length === 0) return { ...check, status: "ok", detail: "none damaged" };
	const fixes = [
		links.length && "remove the links",
		damaged.length && "look at the damaged ones and delete them; `ccg gc` deletes old ones",
	].filter(Boolean);
	return { ...check, status: links.length ? "fail" : "warn", detail: parts.join("; "), fix: fixes.join("; ") };
}

const some = (paths: string[]): string =>
	paths.length > 5 ? `${paths.slice(0, 5).join(", ")} and ${paths.length - 5} more` : paths.join(", ");

function checkLog(root: string, now: Date): DoctorCheck {
	const check = { id: "store.log", title: "failures" };
	const recent = (readText(logPath(root)) ?? "").split("\n").filter((line) => {
		const ageMs = now.getTime() - Date.parse(line.slice(0, line.indexOf(" ")));
		return ageMs >= -DAY_MS && ageMs <= DAY_MS;
	});
	if (recent.length === 0) return { ...check, status: "ok", detail: "none in the last 24 hours" };
	return {
		...check,
		status: "warn",
		detail: `${recent.length} in the last 24 hours, the last one: ${recent.at(-1)}`,
		fix: `read ${logPath(root)}`,
	};
}

function childrenOf(folder: string): string[] {
	try {
		return readdirSync(folder).map((name) => join(folder, name));
	} catch {
		return [];
	}
}

function modeOf(path: string): number {
	try {
		return statSync(path).mode;
	} catch {
		return 0;
	}
}
