import { join } from "node:path";
import { updateSession } from "../../src/events/steps/update-session.ts";
import { writeLastUsage } from "../../src/store/pressure/flags.ts";
import { keepSessionFolder } from "../../src/store/session/place.ts";
import { Transcript } from "../kit/events.ts";
import { hookOf } from "../kit/services.ts";
import { usage } from "../kit/usage.ts";
import { scratch } from "../scratch-home.ts";

/** A home with a store of one session that said, asked and failed a little, seen a moment ago. */
export function sessionStore(sid = "0c0ffee0-0000-4000-8000-000000000000") {
	const home = scratch("home");
	return { home, ...addSession(home, sid, scratch("ledger")) };
}

/** Another session of that home's store. */
export function addSession(home: string, sid: string, folder: string, ended?: string) {
	const now = new Date();
	const transcript = new Transcript(folder, now);
	for (let n = 0; n < 30; n++) transcript.typed(`message ${n}`);
	transcript.rejected("Bash", { command: "git push" }, "never").answered("Tabs?", "yes");
	const transcript_path = transcript.write(join(folder, `${sid}.jsonl`));
	const onProblem = (problem: string): void => {
		throw new Error(problem);
	};
	const given = hookOf(home, { session_id: sid, transcript_path, cwd: folder }, { now, onProblem });
	updateSession(given, ended);
	keepSessionFolder(given.session, folder);
	writeLastUsage(given.session, usage({ at: now.toISOString(), cwd: folder, transcriptPath: transcript_path }));
	return { store: given.root, folder, sid };
}
