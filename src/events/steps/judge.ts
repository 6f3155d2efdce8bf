import { join } from "node:path";
import { worldAt } from "../../claude/machine/command-world.ts";
import { isReallyInside, type NotePlace } from "../../claude/note-place.ts";
import { type CallPlace, mayChange } from "../../core/effect/tool-effect.ts";
import { toldLauncher } from "../../store/app-folder.ts";
import { claudeRoot } from "../../store/paths.ts";
import { nativeMemoryFolder } from "../../store/project.ts";
import type { Services, SessionInput } from "../run/event.ts";

/** Whether the call may change something, by its words and what lies on the disk around it. */
export function mayChangeAt(input: SessionInput, services: Services): boolean {
	const { tool_name: name = "", tool_input = {} } = input;
	return mayChange({ name, input: tool_input }, surroundings(input, services));
}

function surroundings(input: SessionInput, { root, env, launcher }: Services): CallPlace {
	const claude = claudeRoot(env);
	const folder = env.CLAUDE_PROJECT_DIR ?? input.cwd;
	const places: NotePlace[] = ["MEMORY.md", "log", "projects"].map((name) => ({ path: join(root, name), owner: root }));
	if (folder) places.push({ path: join(folder, ".serena", "memories"), owner: folder });
	if (claude && folder) places.push({ path: nativeMemoryFolder(claude, folder), owner: claude });
	return {
		launcher,
		told: toldLauncher(launcher, root),
		memory: places.map(({ path }) => path),
		isInside: (path, place) => places.some((one) => one.path === place && isReallyInside(path, one)),
		store: root,
		session: input.session_id,
		world: worldAt(input.cwd ?? folder ?? "/", launcher, env),
	};
}
