import { resolve } from "node:path";
import { counted, oneLine } from "../../core/text/text.ts";
import { exportTo } from "../../sync/export-files.ts";
import { planImport, takeImport } from "../../sync/import-files.ts";
import { tellShared } from "../../sync/sync.ts";
import { isConfirmed } from "../support/answer.ts";
import { type Answer, DRY_RUN, type Given, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseCrossing } from "../support/place.ts";
import { exchange, withSpace } from "../support/sync.ts";

/** Named of what is left out. */
const MOST_NAMED = 10;

/** `ccg sync files`. */
export const files: Spec = {
	about: "export all that is shared as plain files, or import such files",
	options: [
		option("--export <folder>", "write it into this folder, which is empty or new"),
		option("--import <folder>", "say what such a folder holds again, as this machine's words; shows it first"),
		YES,
		DRY_RUN,
		JSON_OUT,
	],
	help: `
A folder for each project holds notes.md, passages.md, checkpoints/, summaries/ and tasks/ for people, and items.json, all of it, for other tools:
of each item who said it and when. An import reads items.json alone. What the space has already, by its name or the same text, stays as it
is. Who wrote an item first is kept as a text: nobody but this machine signs it. A project that no commit and remote tell keeps its
id: ccg sync init --project ID, in its folder.

Examples:
  ccg sync files --export ~/memory-export
  ccg sync files --import ~/memory-export --dry-run

Exit codes: 0 done or declined, 1 failed, or something was left out; 2 wrong use, or nobody to ask and no --yes.`,
	async act(io, given: Given & { export?: string; import?: string }) {
		refuseCrossing("sync files", io);
		const [to, from] = [given.export, given.import].map((one) => one && resolve(io.cwd, one));
		if (!to === !from) throw new WrongUse("say which: --export FOLDER, or --import FOLDER");
		return from ? importFrom(from, given, io) : exportFiles(to!, given, io);
	},
};

async function exportFiles(folder: string, { dryRun }: Given, io: Io): Promise<Answer> {
	if (dryRun) throw new WrongUse("--dry-run is of --import");
	return withSpace(io, (opened) => {
		const items = exportTo(opened, folder);
		return { json: { folder, items }, text: `${counted(items, "item")} in ${folder}, without secrets.` };
	});
}

async function importFrom(folder: string, { yes, dryRun, json }: Given, io: Io): Promise<Answer | undefined> {
	return withSpace(io, async (opened, way) => {
		// what the space has already must be known
		if (!dryRun) await exchange(opened, way, io);
		const plan = planImport(opened, folder);
		const items = plan.projects.flatMap(({ project, items: all }) =>
			all.map((one) => ({ project: project.name, ...one })),
		);
		const { known, wrong } = plan;
		for (const one of wrong.slice(0, MOST_NAMED)) io.err(`ccg: left out: ${one}`);
		if (wrong.length > MOST_NAMED) io.err(`ccg: and ${wrong.length - MOST_NAMED} more`);
		if (wrong.length > 0) io.exit(1);
		for (const { item, project, by, value } of json ? [] : items) {
			const text = typeof value === "string" ? value : JSON.stringify(value);
			io.out(`${item.split(":")[0]} of ${project}, by ${by}: ${oneLine(text).slice(0, 200)}`);
		}
		const what = `${counted(items.length, "item")} of ${folder}`;
		const stays = known > 0 ? `; ${counted(known, "other is", "others are")} there already` : "";
		const how = { done: "imported", how: "To import it add --yes" };
		if (items.length === 0)
			return { json: { items, known, wrong }, text: `Nothing in ${folder} is new${stays}; nothing was written.` };
		if (dryRun) return { json: { items, known, wrong }, text: `Would import ${what}${stays}; nothing was written.` };
		if (!(await isConfirmed(`Say ${what} in the space, as this machine's words?`, yes, io, how))) return;
		takeImport(opened, plan);
		tellShared(opened);
		const then = "the others have it with the next exchange (ccg sync now)";
		return { json: { items, known, wrong }, text: `Imported ${what}${stays}; ${then}.` };
	});
}
