import { counted, oneLine } from "../../core/text/text.ts";
import { errorCode, whyOf } from "../../files/system-failure.ts";
import { logFailure } from "../../store/failure-log.ts";
import { storeOf } from "../../store/session/place.ts";
import { carrierAt } from "../../sync/address.ts";
import { conflicts as conflictsIn, resolve } from "../../sync/conflicts.ts";
import { clocksAhead, toSend } from "../../sync/line.ts";
import { writerOf } from "../../sync/shared.ts";
import { FOR_ALL, forgetSpace, type Opened, removeMember } from "../../sync/space.ts";
import {
	anew,
	isPaused,
	type LastSync,
	leave as leaveSpace,
	membersHere,
	pause as setPaused,
	syncNow,
	syncStatus,
	tellShared,
} from "../../sync/sync.ts";
import { isConfirmed, moment } from "../support/answer.ts";
import { type Answer, argument, type Given, JSON_OUT, option, type Spec, YES } from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseCrossing } from "../support/place.ts";
import { exchange, rightsOf, withSpace } from "../support/sync.ts";
import { printTable, say } from "../support/text.ts";

interface Options extends Given {
	auto?: boolean;
	off?: boolean;
	keep?: string;
	force?: boolean;
}

/** `ccg sync now`. */
export const now: Spec = {
	about: "take in what others wrote and send what changed here; hooks do it by themselves at the end of a turn",
	options: [
		JSON_OUT,
		option("--auto", "started by a session: says nothing, a failure goes to the log", { isHidden: true }),
	],
	help: `
Examples:
  ccg sync now
  ccg sync now --json | jq .received

Exit codes: 0 done, 1 the carrier can't be reached, or something of another machine was refused (it is named).`,
	async act(io, { auto }: Options) {
		if (!auto) return withSpace(io, async (opened, way) => told(await exchange(opened, way, io), opened, io));
		const exchanged = withSpace(io, async (opened, way) => {
			if (!isPaused(opened)) await syncNow(opened, () => carrierAt(way, opened.space.id), { waitMs: 0, env: io.env });
		});
		await exchanged.catch((error) => {
			// another one that runs does the same; what shares nothing was told to leave meanwhile
			if (!["ELOCKED", "EUNSHARED"].includes(errorCode(error))) logFailure(storeOf(io).root, "sync", error);
		});
		return;
	},
};

type Problems = Partial<Pick<LastSync, "failed">> & Omit<LastSync, "at" | "failed" | "asking">;

function told(done: Awaited<ReturnType<typeof syncNow>>, opened: Opened, io: Io): Answer {
	const { received, sent, offered } = done;
	for (const text of problemsOf(done, opened)) io.err(`ccg: ${text}`);
	if (done.problems.length + done.failures.length > 0) io.exit(1);
	const changes = offered > 0 ? `, with ${counted(offered, "new change")} made here` : "";
	const text = [`Received ${counted(received, "batch", "batches")}, sent ${sent}${changes}.`, ...toDo(done, opened)];
	return { json: done, text };
}

/** What people have to do for it. */
function toDo({ asking }: Pick<LastSync, "asking">, opened: Opened): string[] {
	const may = rightsOf(opened);
	const many = conflictsIn(opened).length;
	return [
		...(may ? [may] : []),
		...asking.map(
			({ name, person }) => `${person} on ${name} asks to join: ccg sync join CODE, with the code that machine shows`,
		),
		...(many > 0 ? [`${counted(many, "conflict")} to decide: ccg sync conflicts`] : []),
	];
}

function problemsOf(last: Problems, opened: Opened, members = membersHere(opened)): string[] {
	const { failed, problems, strangers, failures, held } = last;
	return [
		...(failed ? [`the last try failed, ${moment(failed.at)}: ${failed.why}`] : []),
		...held.map(({ item, by, until }) => `${item.replace(":", " ")} waits: ${by} has it until ${moment(until)}`),
		...problems.map(({ machine, seq, why, isFork }) =>
			isFork && machine === opened.machine
				? `another machine writes as this one, a copy of its home or its store${anew(opened)}`
				: `${seq > 0 ? `batch ${seq} of ` : ""}${writerOf(opened, machine)} (${machine})${seq > 0 ? " is not applied" : ""}: ${why}`,
		),
		...strangers.map((machine) => `machine ${machine} is no member: what it wrote is not read`),
		...failures,
		...clocksAhead(members, opened.machine).map((one) => `${one}: set the one that is wrong`),
	];
}

/** `ccg sync status`. */
export const status: Spec = {
	about: "what is shared and by what, who the members are, when it was exchanged last, what waits",
	options: [JSON_OUT],
	help: "\nExamples:\n  ccg sync\n  ccg sync status --json | jq .last.at",
	async act(io) {
		return withSpace(io, (opened) => {
			const found = syncStatus(opened);
			const { last, members, projects, paused } = found;
			const [wrong, open] = [problemsOf(last, opened, members), toDo(last, opened)];
			const text = (): void => {
				say(
					`Space ${found.space}, by ${found.address}${found.encrypted ? ", encrypted" : ""}${paused ? "; paused (ccg sync pause --off)" : ""}`,
					io,
				);
				say(`Last exchange: ${last.at === null ? "never" : moment(last.at)}; ${toSend(found)}.`, io);
				const there = members.filter(({ role }) => role !== "none");
				printTable(io, there, [
					{ title: "member", cell: ({ machine, name }) => `${name}${machine === found.machine ? " (this one)" : ""}` },
					{ title: "person", cell: ({ person }) => person },
					{ title: "role", cell: ({ role }) => role },
					{ title: "wrote", cell: ({ wrote }) => (wrote ? moment(wrote) : "nothing yet") },
					{ title: "machine", cell: ({ machine }) => machine.slice(0, 12) },
				]);
				for (const { folder, kinds } of projects) say(`Shared: ${folder || FOR_ALL} (${kinds.join(", ")})`, io);
				if (projects.length === 0) say("No project is shared from here yet: ccg sync init, in its folder", io);
				for (const one of open) say(one, io);
				for (const one of wrong) say(`! ${one}`, io, io.colours.red);
			};
			return { json: found, text };
		});
	},
};

/** `ccg sync pause`. */
export const pause: Spec = {
	about: "exchange nothing by itself until --off",
	options: [option("--off", "go on"), JSON_OUT],
	help: "\nExamples:\n  ccg sync pause\n  ccg sync pause --off",
	async act(io, { off = false }: Options) {
		return withSpace(io, (opened) => {
			setPaused(opened, !off);
			return { json: { paused: !off }, text: off ? "Sync goes on." : "Sync is paused; 'ccg sync now' still works." };
		});
	},
};

/** `ccg sync leave`. */
export const leave: Spec = {
	about: "take this machine out of the space, or another one; what is here stays here",
	args: [argument("[machine]", "another one that is removed, by its name or the beginning of its id")],
	options: [option("--force", "also where the carrier is gone: then what was said there stays there"), YES, JSON_OUT],
	help: `
Your notes stay in MEMORY.md, and what others wrote in shared.md as it is now. Who is removed reads nothing that is written from then on, where the
space is encrypted or a server holds it; a folder's old texts are with whoever has the folder. Who leaves takes back what it wrote; a note of
another machine that it edited stays as it is.

Examples:
  ccg sync leave
  ccg sync leave old-laptop

Exit codes: 0 done or declined, 1 failed, 2 nobody to ask and no --yes.`,
	async act(io, { yes, force }: Options, named?: string) {
		refuseCrossing("sync leave", io);
		return withSpace(io, async (opened, way) => {
			const other = named === undefined ? null : memberNamed(opened, named);
			const who = other ? `${other.person} on ${other.name}` : "this machine";
			if (
				!(await isConfirmed(`Take ${who} out of the space?`, yes, io, { done: "changed", how: "To do it add --yes" }))
			)
				return;
			if (other) {
				removeMember(opened, other.machine);
				const done = await exchange(opened, way, io);
				for (const failure of done.failures) io.err(`ccg: ${failure}`);
				if (done.failures.length > 0) io.exit(1);
				return { json: { removed: other.machine, ...done }, text: `${who} is no member any more.` };
			}
			const left = leaveSpace(opened, () => carrierAt(way, opened.space.id));
			const failures = await left.catch((error) => {
				if (!force) throw error;
				return [`the others were not told, and what this machine said stays there: ${whyOf(error)}`];
			});
			for (const failure of failures) io.err(`ccg: ${failure}`);
			tellShared(opened, true);
			forgetSpace(opened);
			return { json: { left: true, failures }, text: "This machine shares nothing any more; what was here is here." };
		});
	},
};

function memberNamed(opened: Opened, named: string) {
	const found = membersHere(opened).filter(
		(one) =>
			one.role !== "none" && one.machine !== opened.machine && (one.name === named || one.machine.startsWith(named)),
	);
	if (found.length === 1) return found[0]!;
	throw new Error(
		`${found.length === 0 ? "no other member" : "several members"} '${named}'; 'ccg sync status' shows them`,
	);
}

/** `ccg sync conflicts`. */
export const conflicts: Spec = {
	about: "texts that several changed at the same time: all are kept until somebody decides",
	args: [argument("[id]", "the one that is decided")],
	options: [option("--keep <which>", "mine, theirs, both, or the number of a text"), JSON_OUT],
	help: `
Examples:
  ccg sync conflicts
  ccg sync conflicts 5f2a90c1 --keep mine

Exit codes: 0 done, 1 failed, 2 wrong use.`,
	async act(io, { keep }: Options, id?: string) {
		return withSpace(io, async (opened, way) => {
			if (id !== undefined) {
				if (!keep) throw new WrongUse("say which: --keep mine, theirs, both, or a number");
				resolve(opened, id, keep);
				await exchange(opened, way, io);
				const isLeft = conflictsIn(opened).some((one) => one.id.startsWith(id));
				const left = "Yours is taken back; which of the others' stands is still to decide: ccg sync conflicts";
				const text = isLeft ? left : "Decided; the others have it with their next exchange.";
				return { json: { id, keep, decided: !isLeft }, text };
			}
			if (keep) throw new WrongUse("name the conflict that is decided: ccg sync conflicts ID --keep WHICH");
			const found = conflictsIn(opened);
			const lines = found.flatMap(({ id: own, project, values }) => [
				`${own}  ${project}`,
				...values.map(
					({ text, by, isMine, at }, i) =>
						`  ${i + 1}. ${isMine ? "mine" : by}, ${moment(at)}: ${text === null ? "(deleted)" : oneLine(text)}`,
				),
			]);
			return {
				json: found,
				text: lines.length > 0 ? lines : "No conflict: nothing was changed by two at the same time.",
			};
		});
	},
};
