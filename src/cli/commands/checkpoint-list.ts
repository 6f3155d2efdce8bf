import { existsSync } from "node:fs";
import { CHECKPOINT_TYPES } from "../../core/checkpoint/checkpoint-key.ts";
import { grouped } from "../../core/text/text.ts";
import { checkpointPath, storedCheckpoints } from "../../store/recovery/checkpoints.ts";
import { storeOf } from "../../store/session/place.ts";
import { sessionAt } from "../../store/session-handle.ts";
import { ALL, argument, type Given, JSON_OUT, SESSION, type Spec } from "../support/command.ts";
import { whoseOf } from "../support/place.ts";
import { printTable } from "../support/text.ts";

/** So many are listed; `--json` has all. */
const SHOWN = 20;

export const list: Spec = {
	about: "list this project's checkpoints, the newest first: why they were taken, and sizes",
	args: [argument("[type]", "only this type", { choices: CHECKPOINT_TYPES })],
	options: [SESSION, ALL, JSON_OUT],
	help: "\nExample:\n  ccg checkpoint list manual --all",
	act(io, given: Given, wanted?: string) {
		const store = storeOf(io);
		const meant = storedCheckpoints(
			store,
			{ ...whoseOf(given, io), type: wanted },
			{ most: given.json ? -1 : SHOWN + 1 },
		);
		const checkpoints = meant.map(({ sid: session, project = null, reason = null, ...row }) => {
			const path = checkpointPath(sessionAt(store, session), row.key);
			return { ...row, session, project, reason, path: existsSync(path) ? path : null };
		});
		if (checkpoints.length === 0) return { json: { checkpoints }, text: NONE };
		const text = (): void => {
			printTable(io, checkpoints.slice(0, SHOWN), [
				{ title: "checkpoint", cell: ({ key }) => key, paint: io.colours.bold },
				{ title: "why", cell: ({ reason, trigger }) => reason ?? `trigger ${trigger}` },
				{ title: "session", cell: ({ session, project }) => session.slice(0, 8) + (given.all ? ` of ${project}` : "") },
				{ title: "tokens", align: "right", cell: ({ tokens }) => (tokens === null ? "" : grouped(tokens)) },
				{ title: "size", align: "right", cell: ({ bytes }) => `${Math.max(1, Math.round(bytes / 1024))} KB` },
			]);
			if (checkpoints.length > SHOWN) io.err(`ccg: the newest ${SHOWN}; --json lists all`);
		};
		return { json: { checkpoints }, text };
	},
};

const NONE = "There is no checkpoint yet: 'ccg checkpoint save' makes one, and each compaction does.";
