import { redactDeep, redactSecrets } from "../core/redact/secrets.ts";
import { oneLine, safeDeep, safeText } from "../core/text/text.ts";
import { isObject } from "../core/transcript/decode.ts";
import { namesIn } from "../files/names-in.ts";
import { quietly } from "../files/quietly.ts";
import { openInside } from "../files/read-inside.ts";
import { noteOf } from "../memory/change.ts";
import { noteKey } from "../memory/notes.ts";
import { parseObject } from "../store/json-file.ts";
import { MAX_VALUE, type Operation } from "./batch.ts";
import { PROJECT } from "./carrier.ts";
import { refuseReader } from "./conflicts.ts";
import { type FileItem, ITEMS } from "./export-files.ts";
import { newId } from "./keys.ts";
import { write } from "./log.ts";
import { plainName } from "./members.ts";
import { ALL_PROJECTS, projectId, projectsIn, type SharedProject } from "./project.ts";
import { fromItem, isMoment } from "./shared.ts";
import type { Opened } from "./space.ts";
import { valuesOf } from "./state.ts";
import { inStep } from "./tables.ts";

/** Projects, bytes of one, and how many times the parts of a JSON of ours: more is no export of a person's. */
const [MOST, MAX_BYTES, TIMES] = [1_000, 64 * 1024 * 1024, 20];
const MAX_REMOTES = 20;

/** What would be said of a project. */
interface Taken {
	project: SharedProject;
	/** The space does not know it. */
	isNew: boolean;
	items: FileItem[];
}

export interface Import {
	projects: Taken[];
	/** Items that the space has: by their name, or the same text. They stay as they are. */
	known: number;
	/** What is not of the form that `exportTo` writes, and is left out. */
	wrong: string[];
}

/** What of a folder that `exportTo` wrote, or somebody else, is new to the space. No link is followed, nothing is written. */
export function planImport(opened: Opened, folder: string): Import {
	const plan: Import = { projects: [], known: 0, wrong: [] };
	const stands = new Set(valuesOf(opened, "").flatMap((one) => (one.project === null ? [] : keysOf(one.project, one))));
	const names = namesIn(folder).filter((name) => !name.startsWith("."));
	if (names.length === 0) throw new Error(`${folder} holds nothing that could be imported`);
	for (const name of names.slice(0, MOST)) {
		const bytes = openInside(folder, `${name}/${ITEMS}`, { maxBytes: MAX_BYTES, single: true })?.bytes;
		const found = bytes && parseObject(bytes.toString("utf8"), TIMES);
		const project = found && projectOf(opened, found.project);
		if (!found || !project || !Array.isArray(found.items)) {
			plan.wrong.push(`${oneLine(safeText(name))}: no ${ITEMS} that can be read`);
			continue;
		}
		const isNew = isNewIn(opened, project) && !plan.projects.some((one) => one.project.id === project.id);
		const taken: Taken = { project, isNew, items: [] };
		for (const [i, given] of found.items.entries()) {
			// (what is built to be deep ends in an error)
			const one = quietly(() => itemOf(given));
			if (!one) plan.wrong.push(`${oneLine(safeText(name))}: item ${i + 1}`);
			else if (keysOf(project.id, one).some((key) => stands.has(key))) plan.known++;
			else {
				taken.items.push(one);
				for (const key of keysOf(project.id, one)) stands.add(key);
			}
		}
		if (taken.items.length > 0) plan.projects.push(taken);
	}
	return plan;
}

const isNewIn = (opened: Opened, { id }: SharedProject): boolean =>
	id !== ALL_PROJECTS && !projectsIn(opened).some((one) => one.id === id);

/** An item by its name, and by what it says. */
function keysOf(project: string, { item, value }: Pick<FileItem, "item" | "value">): string[] {
	const text = typeof value === "string" ? noteKey(value) : JSON.stringify(value);
	return [`${project} ${item}`, ...(value === null ? [] : [`${project} ${item.split(":")[0]} ${text}`])];
}

/** The project as the space knows it, or will. */
function projectOf(opened: Opened, given: unknown): SharedProject | null {
	if (!isObject(given) || typeof given.id !== "string" || !PROJECT.test(given.id)) return null;
	const root = typeof given.root === "string" && /^[0-9a-f]{40,64}$/.test(given.root) ? given.root : null;
	const all = Array.isArray(given.remotes) ? given.remotes.slice(0, MAX_REMOTES) : [];
	const remotes = all.flatMap((one) => (typeof one === "string" ? safeText(oneLine(one.slice(0, 300))) : []));
	const named = { id: given.id, name: plainName(given.name), root, remotes };
	return isNewIn(opened, named) ? { ...named, id: projectId(opened, named) ?? given.id } : named;
}

const FORMS: Record<string, { field: string; take(value: unknown): unknown }> = {
	note: { field: "text", take: (value) => (typeof value === "string" ? redactSecrets(noteOf(value)) : null) },
	task: { field: "state", take: (value) => (isObject(value) ? value : null) },
	checkpoint: { field: "view", take: (value) => (typeof value === "string" ? value : null) },
	summary: { field: "text", take: (value) => (typeof value === "string" ? value : null) },
	passage: { field: "text", take: (value) => (isObject(value) && typeof value.text === "string" ? value : null) },
};

const NOTE = /^note:[0-9a-f]{32}$/;

/** An item as it would be said; `null` where it is none, throws where it can't be read. */
function itemOf(given: unknown): FileItem | null {
	if (!isObject(given) || typeof given.item !== "string" || !/^[a-z]{1,16}:[\w./-]{1,140}$/.test(given.item))
		return null;
	const [kind = ""] = given.item.split(":");
	const form = FORMS[kind];
	if (!form || form.field !== given.field || JSON.stringify(given.value ?? null).length > MAX_VALUE) return null;
	// a name goes out as it is (and one id in a hundred looks like a secret)
	const item = kind !== "note" || NOTE.test(given.item) ? given.item : `note:${newId()}`;
	if (kind !== "note" && redactSecrets(item) !== item) return null;
	const value = redactDeep(safeDeep(form.take(given.value)));
	if (value === null || JSON.stringify(value).length > MAX_VALUE) return null;
	const by = oneLine(safeText(String(given.by).slice(0, 400)))
		.slice(0, 90)
		.toWellFormed();
	return { item, field: form.field, value, by, at: isMoment(given.at) ? given.at : "" };
}

/** Says all of it as this machine's words, or nothing. Throws where this machine may not. */
export function takeImport(opened: Opened, { projects }: Import): void {
	refuseReader(opened);
	inStep(opened.rows, () => {
		for (const { project, isNew, items } of projects) {
			const { id, ...marks } = project;
			const ops: Operation[] = isNew ? [{ item: `project:${id}`, field: "marks", value: marks }] : [];
			for (const { item, field, value, by, at } of items)
				ops.push({ item, field, value }, { item: fromItem(item), field: "text", value: { by, at } });
			write(opened, id, ops);
		}
	});
}
