import { exact, knownSafe } from "../../core/redact/secrets.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { countWithNoun, oneLine } from "../../core/text/text.ts";
import { errorCode, errorText } from "../../files/system-failure.ts";
import { requireStore } from "../../store/session/place.ts";
import { isPostgres, normaliseAddress, tableSql } from "../../sync/carriers.ts";
import { planOwnDocument, writeForeignFiles } from "../../sync/exchange.ts";
import { readLastSync } from "../../sync/last.ts";
import { machineName } from "../../sync/machine.ts";
import { beginSpace, newSpace, removeMember, removeOwnDocument, requestJoin } from "../../sync/members.ts";
import { notesLabel } from "../../sync/notes.ts";
import { forgetSpace, type OpenSpace, readOwnDocument, readSpace, writeSpace } from "../../sync/space.ts";
import { confirmChange, localDayAndTime } from "../support/answer.ts";
import { argument, DRY_RUN, type Flags, GLOBAL, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseIfBound } from "../support/place.ts";
import { currentSpace, exchangeNow, exchangeSilently, openSteps, projectToShare, syncJson } from "../support/sync.ts";
import { printText } from "../support/text.ts";

interface Options extends Flags {
	project?: string;
	notes?: boolean;
	stop?: boolean;
	encrypt?: boolean;
	auto?: boolean;
	force?: boolean;
}

export const init: Spec = {
	about: "share this project with other machines: its notes, and the last checkpoint of each session; shows what first",
	args: [argument("[place]", "a folder that all machines see, git:REMOTE, or postgres://HOST/DATABASE; once")],
	options: [
		option("--project <name>", "its name, the same on each machine, where no repository tells which it is"),
		option("--notes", "its notes alone, no sessions"),
		option("--stop", "share this project no more, and take back what this machine said of it"),
		option("--encrypt", "the first time: whoever keeps the place reads sizes alone"),
		GLOBAL,
		YES,
		DRY_RUN,
		JSON_OUT,
	],
	help: `
Later, in another project's folder, it shares that one too. Of sessions only checkpoints are shared, no transcript; secrets are taken \
out. Each machine writes one file, so a folder that Syncthing, a drive or a USB stick carries is enough.

Examples:
  ccg sync init ~/Sync/memory --dry-run
  ccg sync init git:git@example.org:me/memory.git --encrypt
  ccg sync init --project tools --notes
  ccg sync init --stop`,
	async run(io, options: Options, place?: string) {
		refuseIfBound("sync init", io);
		const store = requireStore(io);
		const before = options.stop ? currentSpace(io) : readSpace(store);
		if (!before && place === undefined)
			throw new WrongUse("name a place to share by, as in: ccg sync init ~/Sync/memory");
		const address = place === undefined ? before!.space.address : normaliseAddress(place, io.cwd);
		if (before && before.space.address !== address)
			throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
		if (options.encrypt && (isPostgres(address) || before?.space.isEncrypted === false))
			throw new WrongUse("encryption is chosen the first time, and for no server: whoever rules that can be a member");
		const shared = projectToShare(options, before, io);
		const opened = before ?? (await newSpace(store, address, io.env, options.encrypt === true));
		const others = opened.space.projects.filter(({ key }) => key !== shared.key);
		if (options.stop && others.length === opened.space.projects.length)
			throw new Error(`${notesLabel(shared)} is not shared from here`);
		const twin = others.find(({ mark }) => mark === shared.mark);
		if (twin && !options.stop)
			throw new Error(
				`${notesLabel(twin)} is shared as the same project; give this one a name of its own: --project NAME`,
			);
		const projects = options.stop ? others : [...others, shared];
		const next: OpenSpace = { ...opened, space: { ...opened.space, projects } };
		const items = options.stop ? [] : await sharedItems(next, shared.mark);
		for (const { kind, item, text, at } of options.json ? [] : items) {
			const about =
				kind === "note" ? oneLine(text!).slice(0, 200) : `${item.slice(8)}, checkpoint of ${localDayAndTime(at)}`;
			io.out(`${kind}  ${about}`);
		}
		const what = `${countWithNoun(items.length, "item")} of ${notesLabel(shared)} by ${address}, ${next.space.isEncrypted ? "encrypted" : "for whoever can read that place"}`;
		const question = options.stop ? `Take back what this machine said of ${notesLabel(shared)}` : `Share ${what}`;
		if (options.dryRun) {
			const isNewServer = !before && isPostgres(address);
			const sql = isNewServer ? `\n\nWhere its table is missing, this makes it:\n${tableSql(address)}` : "";
			return { json: { items }, text: `Nothing was written. Without --dry-run: ${question}.${sql}` };
		}
		if (!(await confirmChange(`${question}?`, options.yes, io, { verb: "changed" }))) return;
		await (before ? writeSpace(next) : beginSpace(next, io.env));
		const done = await exchangeNow(next, io);
		if (options.stop)
			writeForeignFiles({ ...next, space: { ...next.space, projects: [shared] } }, await readOwnDocument(next), []);
		const text = (): void => {
			if (options.stop) printText(`${notesLabel(shared)} is not shared any more.`, io);
			else printText(done.isMember ? `Shared ${what}.` : `Chosen: ${what}.`, io);
			for (const line of openSteps(done, next)) printText(line, io);
			// (printed as it is: the other machine's ccg may have another path)
			if (!before) io.out(`Another machine joins with: ccg sync join ${shellWord(address)}`);
		};
		return { json: { items, ...syncJson(done) }, text };
	},
};

/** Lists the notes and sessions that would be shared of the project with this mark. */
async function sharedItems(opened: OpenSpace, mark: string) {
	const { values } = planOwnDocument(opened, { ...(await readOwnDocument(opened)), ask: "" }).own;
	const items = values.filter(({ text, project }) => text !== null && project === mark);
	return items.map(({ kind, item, at, text }) => ({ kind, item, at, text }));
}

export const join: Spec = {
	about: "take part in what other machines share; or let in a machine that asks, by the code that it shows",
	args: [argument("<place-or-code>", "the place to share by, on the new machine; the code that it shows, on a member")],
	options: [JSON_OUT],
	help: `
A new machine asks, and shows a code. Type that code on a machine that is a member: it never reaches the place, so nobody between them can put in \
another key. Any member may let in, and take out (ccg sync leave MACHINE). On a PostgreSQL server there is no code: its logins are the members.

Examples:
  ccg sync join ~/Sync/memory
  ccg sync join CODE`,
	async run(io, _options: Options, given: string) {
		refuseIfBound("sync join", io);
		if (/^[0-9a-f]{20}$/i.test(given.replaceAll("-", ""))) return admitMachine(io, given);
		const store = requireStore(io);
		const address = normaliseAddress(given, io.cwd);
		const code = await requestJoin(store, address, io.env);
		const then = "Then here: ccg sync now; and in each project's folder: ccg sync init";
		const text = (): void => {
			if (code === null) return printText(`This machine takes part. ${then}`, io);
			io.out("This machine asks to join. On one that is a member, once this has reached it:");
			// (printed as it is: the other machine's ccg may have another path)
			io.out(knownSafe`  ccg sync join ${exact(code)}`);
			printText(then, io);
		};
		return { json: { code }, text };
	},
};

/** Admits the machine that shows this code as a member. */
async function admitMachine(io: Io, code: string) {
	const { isMember, joined } = await exchangeNow(currentSpace(io), io, { code });
	if (!isMember) throw new Error("this machine is no member itself: type the code on one that is");
	const unknownCode =
		"no machine asks with that code: look whether it was typed as the other machine shows it, and whether both see the same place";
	if (!joined) throw new Error(unknownCode);
	return { json: { joined }, text: `${joined} is a member now.` };
}

export const now: Spec = {
	about: "read what others wrote and send what changed here; sessions do it by themselves at the end of a turn",
	options: [
		option("--yes", "also where more than five notes at once go from MEMORY.md"),
		JSON_OUT,
		option("--auto", "started by a session: says nothing, a failure goes to the log").hideHelp(),
	],
	help: `
Examples:
  ccg sync now --json | jq .received

Exit code 1 also where something of another machine was refused: it is named.`,
	async run(io, { auto, yes = false }: Options) {
		if (auto) return exchangeSilently(io);
		const opened = currentSpace(io);
		const done = await exchangeNow(opened, io, { isConfirmed: yes });
		if (done.problems.length > 0) io.setExitCode(1);
		for (const problem of done.problems) io.err(`ccg: ${problem}`);
		const sent = done.isSent ? "sent what changed here" : "nothing to send";
		const taken = `; ${countWithNoun(done.taken, "note")} of yours went to replaced.md, beside MEMORY.md`;
		const line = `Received ${countWithNoun(done.received, "document")}, ${sent}${done.taken > 0 ? taken : ""}.`;
		return { json: syncJson(done), text: [line, ...openSteps(done, opened)] };
	},
};

export const status: Spec = {
	about: "what is shared and by what, who the members are, when it was exchanged last, what needs your yes",
	options: [JSON_OUT],
	help: "\nExamples:\n  ccg sync\n  ccg sync status --json | jq .last.at",
	run(io) {
		const opened = currentSpace(io);
		const { address, isEncrypted: encrypted, self, projects: shared } = opened.space;
		const last = syncJson(readLastSync(opened));
		const name = `${machineName({ name: self.name, machine: self.id })} (this one)`;
		const own = { machine: self.id, name, isGone: false };
		const members = [own, ...last.members];
		const projects = shared.map((one) => ({ folder: notesLabel(one), sessions: one.withSessions }));
		const text = (): void => {
			printText(`Shared by ${address}${encrypted ? ", encrypted" : ""}.`, io);
			printText(`Last exchange: ${last.at === null ? "never" : localDayAndTime(last.at)}.`, io);
			const goneNote = " (it left, or its document is lost; to forget it: ccg sync leave NAME)";
			for (const { name, isGone } of members) printText(`Member: ${name}${isGone ? goneNote : ""}`, io);
			for (const { folder, sessions } of projects)
				printText(`Shared: ${folder} (notes${sessions ? ", sessions" : ""})`, io);
			if (projects.length === 0) printText("No project is shared from here yet: ccg sync init, in its folder", io);
			for (const line of openSteps(last, opened)) printText(line, io);
			if (last.failed)
				printText(`! the last try failed, ${localDayAndTime(last.failed.at)}: ${last.failed.why}`, io, io.colours.red);
			for (const problem of last.problems) printText(`! ${problem}`, io, io.colours.red);
		};
		return { json: { address, machine: self.id, encrypted, last, members, projects }, text };
	},
};

export const leave: Spec = {
	about: "take this machine out, or another one; what is here stays here",
	args: [argument("[machine]", "another one, by its name or the beginning of its id")],
	options: [option("--force", "also where the place is gone, or what is shared can't be read"), YES, JSON_OUT],
	help: `
Your notes stay in MEMORY.md, and what others wrote in shared.md as it is now; what this machine said is taken back. Who is taken out is \
not read any more, and where sharing is encrypted can read nothing that is written from then on. Its old texts are with whoever has them.

Examples:
  ccg sync leave
  ccg sync leave "ann on old-laptop"`,
	async run(io, { yes, force }: Options, named?: string) {
		refuseIfBound("sync leave", io);
		const store = requireStore(io);
		if (!force) currentSpace(io);
		const question = `Take ${named ?? "this machine"} out?`;
		if (!(await confirmChange(question, yes, io, { verb: "changed" }))) return;
		if (named !== undefined) {
			const opened = currentSpace(io);
			const gone = await removeMember(opened, named);
			await exchangeNow(opened, io);
			return { json: gone, text: `${gone.name} is no member any more.` };
		}
		try {
			await removeOwnDocument(currentSpace(io), io.env);
		} catch (error) {
			if (!force || errorCode(error) === "EUNSHARED") throw error;
			io.err(`ccg: ${errorText(error)}`);
		}
		forgetSpace(store);
		return { json: { left: true }, text: "This machine shares nothing any more; what was here is here." };
	},
};
