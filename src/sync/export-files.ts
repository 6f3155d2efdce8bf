import { lstatSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { redactDeep } from "../core/redact/secrets.ts";
import { namesIn } from "../files/names-in.ts";
import { sharedBullet } from "../memory/shared.ts";
import { writeJson, writeText } from "../store/gate.ts";
import { ALL_PROJECTS, projectsIn, type SharedProject } from "./project.ts";
import { firstOf, said, writerOf } from "./shared.ts";
import { type Log, type Value, valuesOf } from "./state.ts";

/** What other tools, and `importFrom`, read of a project; everything else is for people. */
export const ITEMS = "items.json";

/** An item as it stands in that file: who said it first, and when (ISO 8601). */
export interface FileItem {
	item: string;
	field: string;
	value: unknown;
	by: string;
	at: string;
}

/**
 * Writes all that stands of a space here as plain files, a folder for each project, into a folder that is empty or made. Gives how many
 * items. Throws where it holds anything, or is a link.
 */
export function exportTo(log: Log, folder: string): number {
	const there = lstatSync(folder, { throwIfNoEntry: false });
	if (there && (!there.isDirectory() || namesIn(folder).length > 0))
		throw new Error(`${folder} is not an empty folder; name one that is, or a new one`);
	if (!there) mkdirSync(folder, { mode: 0o700 });
	const names = new Map([...projectsIn(log), GLOBAL].map((one) => [one.id, one]));
	const all = valuesOf(log, "").filter(
		({ project, item, value }) => project !== null && value !== null && !/^(?:from|project):/.test(item),
	);
	let items = 0;
	for (const [id, values] of Map.groupBy(all, ({ project }) => project!)) {
		const project = names.get(id) ?? { ...GLOBAL, id, name: "" };
		const below = join(folder, `${fileName(project.name) || "project"}-${id.slice(0, 8)}`);
		mkdirSync(below, { mode: 0o700 });
		items += writeProject(log, below, project, values);
	}
	return items;
}

const GLOBAL: SharedProject = { id: ALL_PROJECTS, name: "all-projects", root: null, remotes: [] };
/** Nothing that leads elsewhere or hides. */
const fileName = (text: string): string =>
	text
		.replace(/[^\w.-]/g, "-")
		.replace(/^\.+/, "")
		.slice(0, 100);

function writeProject(log: Log, below: string, project: SharedProject, values: readonly Value[]): number {
	const first = firstOf(log, project.id);
	const items = values.map((one) => {
		const { by = writerOf(log, one.machine), at } = first.get(one.item) ?? {};
		const when = at || new Date(said(one).at).toISOString();
		return { item: one.item, field: one.field, value: redactDeep(one.value), by, at: when };
	});
	// (ids must read as they are)
	writeJson(join(below, ITEMS), {}, { indent: 1, exact: { v: 1, project, items } });
	const bullets: Record<string, string[]> = { note: [], passage: [] };
	const used = new Set<string>();
	for (const { item, value, by, at } of items) {
		const [kind = "", name = ""] = item.split(/:(.*)/);
		const { text, by: who } = said({ value, clock: "" });
		if (bullets[kind]) bullets[kind].push(sharedBullet(by, Date.parse(at), `${who}: ${text}`));
		else
			writeOne(join(below, folderOf(kind)), unused(fileName(name), used), text ? `${by}, ${at}\n\n${text}\n` : value);
	}
	for (const [kind, lines] of Object.entries(bullets))
		if (lines.length > 0)
			writeText(join(below, `${kind}s.md`), [`# ${kind}s of ${project.name || basename(below)}\n\n`, ...lines]);
	return items.length;
}

const folderOf = (kind: string): string => (kind === "summary" ? "summaries" : `${fileName(kind)}s`);

/** A name for each, also where two items or two values of one differ in signs that no name has. */
function unused(name: string, used: Set<string>): string {
	let own = name;
	for (let i = 2; used.has(own); i++) own = `${name}-${i}`;
	used.add(own);
	return own;
}

function writeOne(folder: string, name: string, value: unknown): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (typeof value === "string") writeText(join(folder, `${name}.md`), value, { sync: false });
	else writeJson(join(folder, `${name}.json`), Object(value), { indent: 1, sync: false });
}
