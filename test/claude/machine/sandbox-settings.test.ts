import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isStoreClosed, sandboxAdvice } from "../../../src/claude/machine/sandbox-settings.ts";
import { corpus } from "../../kit/corpus.ts";
import { scratch } from "../../scratch-home.ts";

const CASES = corpus(join(import.meta.dirname, "sandbox-settings.txt"));

/** Whether these settings close the store to who started in a project, and in the home. */
function closedBy(settings: string, local = "{}"): boolean[] {
	const top = scratch("closed");
	const [home, project] = [join(top, "home"), join(top, "project")];
	const store = join(home, ".claude-memory");
	const written = settings.replaceAll("STORE", "~/.claude-memory").replaceAll("HOME", home).replace("$home", "$HOME");
	const files = {
		[join(home, ".claude/settings.json")]: written,
		[join(project, ".claude/settings.local.json")]: local,
	};
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	return [project, home].map((folder) => isStoreClosed(store, folder, { HOME: home }));
}

test.each(CASES.open!)("open with %s", (row) => expect(closedBy(row)).toEqual([false, false]));
test.each(CASES.closed!)("closed with %s", (row) => expect(closedBy(row)).toEqual([true, false]));
test("the project's own settings count before the user's", () => {
	const [on, off] = ['{"sandbox":{"enabled":true}}', '{"sandbox":{"enabled":false}}'];
	expect([closedBy(on, off)[0], closedBy("{}", on)[0]]).toEqual([false, true]);
});

test.each([
	["/home/x/.claude-memory", "~/.claude-memory"],
	["/data/ccg", "/data/ccg"],
])("the advice names %s as it is written into settings", (store, named) => {
	const filesystem = { allowWrite: [named], denyWrite: [`${named}/app`, `${named}/ccg`] };
	expect(sandboxAdvice(store, { HOME: "/home/x" }).fix).toContain(JSON.stringify(filesystem));
});
