import type { ShellWord } from "../shell/shell-word.ts";
import { type OptionForm, readOptions } from "./program-options.ts";

/** What of ccg's own a command may name. */
export interface Own {
	/** The store's root. */
	store?: string;
	/** The session. */
	session?: string;
}

const TASK: OptionForm = { long: "json session= pressure=", dashes: true };
const LOOK: OptionForm = { flags: "h", long: "json session= all last help", dashes: true };

/** ccg's commands that save, show or check; not those that lift the stop or change what is installed and configured. */
const COMMANDS: Record<string, OptionForm> = {
	"task status": TASK,
	"task bundle": TASK,
	"task ensure": { ...TASK, long: `${TASK.long} goal= from-last` },
	"task checkpoint": {
		...TASK,
		long: `${TASK.long} did= outcome= next= failed= why= decision= step= phase= goal= touched= blocker= unblock= constraint= file=`,
	},
	"task complete": { ...TASK, long: `${TASK.long} outcome=` },
	"task archive": { ...TASK, long: `${TASK.long} force` },
	// a note stands behind `--`
	"checkpoint save": { long: "json session=" },
	"checkpoint list": { long: "json all session= type= limit=" },
	"checkpoint show": { long: "json session=" },
	"checkpoint diff": { long: "json session=" },
	"checkpoint validate": { long: "json all session=" },
	"checkpoint restore": { long: "json print from=", needs: ["--print"] },
	// a note with a dash before it stands behind `--`
	"memory save": { long: "target= anyway" },
	"memory list": { long: "json notes" },
	"memory show": { long: "json global" },
	// of this project: the option that names the notes for all is not known here
	"memory edit": { long: "json anyway" },
	"memory check": { long: "json" },
	"memory inventory": { long: "json" },
	"sessions list": LOOK,
	"sessions show": LOOK,
	"profile list": LOOK,
	"profile show": LOOK,
	status: LOOK,
	show: { ...LOOK, long: `${LOOK.long} transcript= at= budget=` },
	report: { ...LOOK, long: `${LOOK.long} project since=` },
	// neither writes a file without the option that names one
	handoff: { long: "json pr session=" },
	search: { long: "json all project= session= kind= tool= path= since= until= limit= context=" },
	recall: { long: "json more=" },
	env: LOOK,
	approvals: LOOK,
};

/** Whether a command of ccg stays within the session's store and project and leaves the stop alone. */
export function isOwnReading(words: ShellWord[], own: Own): boolean {
	if (words.length === 0) return true;
	if (words.length === 1 && /^(?:--version|-V|--help|-h|help)$/.test(words[0]!.text ?? "")) return true;
	const [first, second] = words.map(({ text }) => text);
	const pair = `${first} ${second}`;
	const [key, rest] = Object.hasOwn(COMMANDS, pair) ? [pair, words.slice(2)] : [`${first}`, words.slice(1)];
	if (!Object.hasOwn(COMMANDS, key)) return false;
	if (!readOptions(rest, COMMANDS[key]!, true)) return false;
	if (!/^(?:task|checkpoint) /.test(key)) return true;
	return rest.every(({ text, start }, i) => {
		if (text === "--session") return own.session !== undefined && rest[i + 1]?.text === own.session;
		return (
			!(text ?? start).startsWith("--session=") || (own.session !== undefined && text === `--session=${own.session}`)
		);
	});
}
