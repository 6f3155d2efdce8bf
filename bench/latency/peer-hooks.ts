import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNow } from "../../test/kit/process.ts";
import { type BenchSandbox, withOwnHome } from "./bench-sandbox.ts";
import {
	afterCompaction,
	hook,
	idle,
	preCompact,
	preCompactCurrent,
	runOnce,
	startup,
	stopBehindTurn,
	transcriptPath,
} from "./hooks.ts";
import type { Pair, Subject } from "./timed.ts";
import { SYNTHETIC_BYTES, syntheticTranscript } from "./transcripts.ts";

/** Another product's hooks, brought by `bench/bring-peers`: a plugin's folder with `hooks/hooks.json`, and the folder of its Node. */
interface Peer {
	name: string;
	plugin: string;
	node: string | null;
	/** The bound of ccg's time to its; none where it is only told. */
	limit?: number;
}

const peersIn = (cache: string): Peer[] => [
	{
		name: "context-mode 1.0.169",
		plugin: join(cache, "context-mode-1.0.169", "node_modules", "context-mode"),
		node: join(cache, "context-mode-1.0.169", "node_modules", "bin-of-node"),
		limit: 0.35,
	},
	{ name: "claude-mem 13.25.3", plugin: join(cache, "claude-mem-13.25.3", "package", "plugin"), node: null },
];

/** ccg's hooks over a transcript of 4 MB, each beside that of the other products that are there. `stop` ends what those left running. */
export function peerHookEntries(shared: BenchSandbox, cache: string, say: (line: string) => void) {
	const there = peersIn(cache).filter(({ name, plugin }) => {
		const isThere = existsSync(join(plugin, "hooks", "hooks.json"));
		if (!isThere) say(`skipped: ${name}; bench/bring-peers brings it`);
		return isThere;
	});
	const entries: (Pair & { limit?: number | undefined })[] = [];
	const stops: (() => void)[] = [];
	if (there.length === 0) return { entries, stop: () => {} };
	const sandbox = withOwnHome(shared, "beside peers");
	for (const { name, plugin, node, limit } of there) {
		const { hooks } = JSON.parse(readFileSync(join(plugin, "hooks", "hooks.json"), "utf8"));
		const home = join(sandbox.folder, name.replaceAll(" ", "-"));
		mkdirSync(join(home, ".claude"), { recursive: true });
		const PATH = [node, join(process.execPath, ".."), process.env.PATH].filter(Boolean).join(":");
		const withPeer = (subject: Subject, place = 0, at = -1): Subject => {
			const command: string | undefined =
				hooks[JSON.parse(subject.stdin).hook_event_name]?.[place].hooks.at(at).command;
			const env = { ...subject.env, HOME: home, PATH, CLAUDE_PLUGIN_ROOT: plugin };
			return { ...subject, name, argv: ["bash", "-c", command ?? ""], env, fault: () => null, prepare: () => {} };
		};
		for (const subject of ownSubjects(sandbox, name)) {
			const base = withPeer(subject);
			if (base.argv.at(-1) === "") continue;
			// (claude-mem's first hook of a start brings up its server, the last one asks it)
			if (subject.name.startsWith("SessionStart")) runOnce(withPeer(subject, 0, 0));
			entries.push({ subject: { ...subject, name: `${subject.name}, beside ${name}` }, base, limit });
		}
		const worker = join(plugin, "scripts", "worker-service.cjs");
		const stop = [process.execPath, worker, "stop"];
		if (existsSync(worker)) stops.push(() => void runNow(stop, { env: { HOME: home, PATH }, cwd: home }));
	}
	return { entries, stop: () => stops.forEach((end) => void end()) };
}

/** One hook of each event, in sessions of their own. */
function ownSubjects(sandbox: BenchSandbox, name: string): Subject[] {
	const sidOf = (event: string): string => {
		const sid = `${event}-${name.replaceAll(/[ .]/g, "-")}`;
		writeFileSync(transcriptPath(sandbox, sid), syntheticTranscript(SYNTHETIC_BYTES, sandbox.work));
		return sid;
	};
	// (written before its home is copied)
	const compacted = sidOf("compacted");
	const fields = { prompt: "go on with the loader" };
	const asked = { name: "UserPromptSubmit", sid: sidOf("prompt"), project: sandbox.work, fields };
	return [
		idle(sandbox),
		hook(sandbox, "UserPromptSubmit", asked),
		startup(sandbox),
		stopBehindTurn(sandbox, sidOf("stop")),
		preCompactCurrent(sandbox, sidOf("current")),
		preCompact(sandbox, "PreCompact, 4.0 MB", sidOf("compact")),
		afterCompaction(withOwnHome(sandbox, `compacted beside ${name}`), compacted),
	];
}
