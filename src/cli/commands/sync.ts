import { exact, told } from "../../core/redact/secrets.ts";
import { shellWord } from "../../core/text/quoted.ts";
import { counted, oneLine } from "../../core/text/text.ts";
import { errorCode, whyOf } from "../../files/system-failure.ts";
import { storeOf } from "../../store/session/place.ts";
import { isPostgres, plainAddress, sqlAt } from "../../sync/carriers.ts";
import { planOwn, writeForeign } from "../../sync/exchange.ts";
import { lastSync } from "../../sync/last.ts";
import { nameIn } from "../../sync/machine.ts";
import { begin, leave as leaveSpace, newSpace, requestJoin, takeFrom } from "../../sync/members.ts";
import { nameOf } from "../../sync/notes.ts";
import { forgetSpace, keepSpace, type Opened, openSpace, ownDocument, type SharedHere } from "../../sync/space.ts";
import { isConfirmed, moment } from "../support/answer.ts";
import { argument, DRY_RUN, type Given, GLOBAL, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseCrossing } from "../support/place.ts";
import { answerOf, exchangeHere, exchangeSilently, projectToShare, spaceOf, stepsForPeople } from "../support/sync.ts";
import { say } from "../support/text.ts";

interface Options extends Given {
	project?: string;
	notes?: boolean;
	stop?: boolean;
	encrypt?: boolean;
	auto?: boolean;
	force?: boolean;
}

/** `ccg sync init`. */
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
	async act(io, options: Options, place?: string) {
		refuseCrossing("sync init", io);
		const store = storeOf(io);
		const before = options.stop ? spaceOf(io) : openSpace(store);
		if (!before && place === undefined)
			throw new WrongUse("name a place to share by, as in: ccg sync init ~/Sync/memory");
		const address = place === undefined ? before!.space.address : plainAddress(place, io.cwd);
		if (before && before.space.address !== address)
			throw new Error(`this store shares by ${before.space.address} already; 'ccg sync leave' ends that`);
		if (options.encrypt && (isPostgres(address) || before?.space.isEncrypted === false))
			throw new WrongUse("encryption is chosen the first time, and for no server: whoever rules that can be a member");
		const shared = projectToShare(options, before, io);
		const opened = before ?? (await newSpace(store, address, io.env, options.encrypt === true));
		const others = opened.space.projects.filter(({ key }) => key !== shared.key);
		if (options.stop && others.length === opened.space.projects.length)
			throw new Error(`${nameOf(shared)} is not shared from here`);
		const twin = others.find(({ mark }) => mark === shared.mark);
		if (twin && !options.stop)
			throw new Error(`${nameOf(twin)} is shared as the same project; give this one a name of its own: --project NAME`);
		const projects = options.stop ? others : [...others, shared];
		const next: Opened = { ...opened, space: { ...opened.space, projects } };
		const items = options.stop ? [] : await itemsOf(next, shared);
		for (const { kind, item, text, at } of options.json ? [] : items) {
			const about = kind === "note" ? oneLine(text!).slice(0, 200) : `${item.slice(8)}, checkpoint of ${moment(at)}`;
			io.out(`${kind}  ${about}`);
		}
		const what = `${counted(items.length, "item")} of ${nameOf(shared)} by ${address}, ${next.space.isEncrypted ? "encrypted" : "for whoever can read that place"}`;
		const question = options.stop ? `Take back what this machine said of ${nameOf(shared)}` : `Share ${what}`;
		if (options.dryRun) {
			const isNewServer = !before && isPostgres(address);
			const sql = isNewServer ? `\n\nWhere its table is missing, this makes it:\n${sqlAt(address)}` : "";
			return { json: { items }, text: `Nothing was written. Without --dry-run: ${question}.${sql}` };
		}
		if (!(await isConfirmed(`${question}?`, options.yes, io, { done: "changed" }))) return;
		await (before ? keepSpace(next) : begin(next, io.env));
		const done = await exchangeHere(next, io);
		if (options.stop)
			writeForeign({ ...next, space: { ...next.space, projects: [shared] } }, await ownDocument(next), []);
		const text = (): void => {
			if (options.stop) say(`${nameOf(shared)} is not shared any more.`, io);
			else say(done.isMember ? `Shared ${what}.` : `Chosen: ${what}.`, io);
			for (const line of stepsForPeople(done, next)) say(line, io);
			// (printed as it is: the other machine's ccg may have another path)
			if (!before) io.out(`Another machine joins with: ccg sync join ${shellWord(address)}`);
		};
		return { json: { items, ...answerOf(done) }, text };
	},
};

/** Lists the notes and sessions of a project that would be shared. */
async function itemsOf(opened: Opened, { mark }: SharedHere) {
	const { values } = planOwn(opened, { ...(await ownDocument(opened)), ask: "" }).own;
	const items = values.filter(({ text, project }) => text !== null && project === mark);
	return items.map(({ kind, item, at, text }) => ({ kind, item, at, text }));
}

/** `ccg sync join`. */
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
	async act(io, _options: Options, given: string) {
		refuseCrossing("sync join", io);
		if (/^[0-9a-f]{20}$/i.test(given.replaceAll("-", ""))) return letIn(io, given);
		const store = storeOf(io);
		const address = plainAddress(given, io.cwd);
		const code = await requestJoin(store, address, io.env);
		const then = "Then here: ccg sync now; and in each project's folder: ccg sync init";
		const text = (): void => {
			if (code === null) return say(`This machine takes part. ${then}`, io);
			io.out("This machine asks to join. On one that is a member, once this has reached it:");
			// (printed as it is: the other machine's ccg may have another path)
			io.out(told`  ccg sync join ${exact(code)}`);
			say(then, io);
		};
		return { json: { code }, text };
	},
};

/** Lets in the machine that shows this code. */
async function letIn(io: Io, code: string) {
	const { isMember, joined } = await exchangeHere(spaceOf(io), io, { code });
	if (!isMember) throw new Error("this machine is no member itself: type the code on one that is");
	if (!joined)
		throw new Error(
			"no machine asks with that code: look whether it was typed as the other machine shows it, and whether both see the same place",
		);
	return { json: { joined }, text: `${joined} is a member now.` };
}

/** `ccg sync now`. */
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
	async act(io, { auto, yes = false }: Options) {
		if (auto) return exchangeSilently(io);
		const opened = spaceOf(io);
		const done = await exchangeHere(opened, io, { isMeant: yes });
		if (done.problems.length > 0) io.exit(1);
		for (const problem of done.problems) io.err(`ccg: ${problem}`);
		const sent = done.isSent ? "sent what changed here" : "nothing to send";
		const taken = `; ${counted(done.taken, "note")} of yours went to replaced.md, beside MEMORY.md`;
		const line = `Received ${counted(done.received, "document")}, ${sent}${done.taken > 0 ? taken : ""}.`;
		return { json: answerOf(done), text: [line, ...stepsForPeople(done, opened)] };
	},
};

/** `ccg sync status`. */
export const status: Spec = {
	about: "what is shared and by what, who the members are, when it was exchanged last, what needs your yes",
	options: [JSON_OUT],
	help: "\nExamples:\n  ccg sync\n  ccg sync status --json | jq .last.at",
	act(io) {
		const opened = spaceOf(io);
		const { address, isEncrypted: encrypted, self, projects: shared } = opened.space;
		const last = answerOf(lastSync(opened));
		const name = `${nameIn({ name: self.name, machine: self.id })} (this one)`;
		const own = { machine: self.id, name, isGone: false };
		const members = [own, ...last.members];
		const projects = shared.map((one) => ({ folder: nameOf(one), sessions: one.withSessions }));
		const text = (): void => {
			say(`Shared by ${address}${encrypted ? ", encrypted" : ""}.`, io);
			say(`Last exchange: ${last.at === null ? "never" : moment(last.at)}.`, io);
			const goneNote = " (it left, or its document is lost; to forget it: ccg sync leave NAME)";
			for (const { name, isGone } of members) say(`Member: ${name}${isGone ? goneNote : ""}`, io);
			for (const { folder, sessions } of projects) say(`Shared: ${folder} (notes${sessions ? ", sessions" : ""})`, io);
			if (projects.length === 0) say("No project is shared from here yet: ccg sync init, in its folder", io);
			for (const line of stepsForPeople(last, opened)) say(line, io);
			if (last.failed) say(`! the last try failed, ${moment(last.failed.at)}: ${last.failed.why}`, io, io.colours.red);
			for (const problem of last.problems) say(`! ${problem}`, io, io.colours.red);
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
	async act(io, { yes, force }: Options, named?: string) {
		refuseCrossing("sync leave", io);
		const store = storeOf(io);
		if (!force) spaceOf(io);
		const question = `Take ${named ?? "this machine"} out?`;
		if (!(await isConfirmed(question, yes, io, { done: "changed" }))) return;
		if (named !== undefined) {
			const opened = spaceOf(io);
			const gone = await takeFrom(opened, named);
			await exchangeHere(opened, io);
			return { json: gone, text: `${gone.name} is no member any more.` };
		}
		try {
			await leaveSpace(spaceOf(io), io.env);
		} catch (error) {
			if (!force || errorCode(error) === "EUNSHARED") throw error;
			io.err(`ccg: ${whyOf(error)}`);
		}
		forgetSpace(store);
		return { json: { left: true }, text: "This machine shares nothing any more; what was here is here." };
	},
};
