import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { memoryInventory } from "../../../src/claude/machine/memory-inventory.ts";
import { saveMemory } from "../../../src/memory/change.ts";
import { nativeMemoryFolder } from "../../../src/store/project.ts";
import { storeAt } from "../../kit/store.ts";
import { scratch } from "../../scratch-home.ts";

function put(path: string, text: string): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	return path;
}

function place() {
	const root = join(scratch("store"), ".claude-memory");
	return { root, claude: scratch("claude"), folder: scratch("work") };
}

test("each memory by who keeps it, with its key", () => {
	const { root, claude, folder } = place();
	expect(memoryInventory(root, claude, folder)).toEqual([]);
	const native = put(join(nativeMemoryFolder(claude, folder), "topic.md"), "# Topic\n\n- a\n- b\n");
	put(join(folder, ".serena", "memories", "architecture.md"), "Layers.\n");
	put(join(folder, ".serena", "memories", "notes.txt"), "no memory\n");
	put(join(folder, "CLAUDE.md"), "# Rules\n## Build\n#### deep\n- x\n");
	put(join(claude, "CLAUDE.md"), "- mine\n");
	saveMemory({ ...storeAt(root), scope: { cwd: folder }, target: "memory", text: "a fact", now: new Date() });
	saveMemory({ ...storeAt(root), scope: { global: true }, target: "memory", text: "for all", now: new Date() });
	const keys = memoryInventory(root, claude, folder);
	expect(keys.map(({ category, key }) => [category, key])).toEqual([
		["claude", "topic"],
		["serena", "architecture"],
		["ccg", "MEMORY"],
		["ccg", "global/MEMORY"],
		["claude_md", "CLAUDE.md"],
		["claude_md", "user's CLAUDE.md"],
	]);
	expect(keys[0]).toMatchObject({ path: native, bytes: 17, modifiedAt: statSync(native).mtime.toISOString() });
});

test("no link is followed, no folder taken for a file", () => {
	const { root, claude, folder } = place();
	const away = put(join(scratch("away"), "secret.md"), "# Hidden\n");
	symlinkSync(away, join(folder, "CLAUDE.md"));
	mkdirSync(join(folder, ".serena", "memories", "folder.md"), { recursive: true });
	symlinkSync(away, join(folder, ".serena", "memories", "linked.md"));
	put(join(folder, "CLAUDE.local.md"), "- x\n");
	expect(memoryInventory(root, claude, folder).map(({ key }) => key)).toEqual(["CLAUDE.local.md"]);
});
