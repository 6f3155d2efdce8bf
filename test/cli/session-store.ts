import { join } from "node:path";
import { updateSession } from "../../src/events/steps/update-session.ts";
import { writeUsage } from "../../src/store/pressure/flags.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { Transcript } from "../kit/events.ts";
import { hookOf } from "../kit/services.ts";
import { storeAt } from "../kit/store.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";

export interface SessionStore {
	home: string;
	store: string;
	folder: string;
	sid: string;
}

/** A home with a store of one session that said, asked and failed a little, seen a moment ago. */
export function sessionStore(sid = "0c0ffee0-0000-4000-8000-000000000000", ended = ""): SessionStore {
	const home = scratch("home");
	return { home, ...addSession(home, sid, scratch("ledger"), ended) };
}

/** Another session of that home's store. */
export function addSession(home: string, sid: string, folder: string, ended = ""): Omit<SessionStore, "home"> {
	const store = join(home, ".claude-memory");
	const now = new Date();
	const transcript = new Transcript(folder, now);
	for (let n = 0; n < 30; n++) transcript.typed(`message ${n}`);
	transcript.rejected("Bash", { command: "git push" }, "never").answered("Tabs?", "yes");
	const transcript_path = transcript.write(join(folder, `${sid}.jsonl`));
	const input = { session_id: sid, transcript_path, cwd: folder };
	const tell = ({ text }: { text: string }): void => {
		throw new Error(text);
	};
	updateSession(hookOf(home, input, { now, tell }), ended || undefined);
	const places = { cwd: folder, projectDir: folder, transcriptPath: transcript_path };
	writeUsage(sessionAt(storeAt(store), sid), usage({ at: now.toISOString(), ...places }));
	return { store, folder, sid };
}
