import { exact, redactSecrets, safely, told } from "../../core/redact/secrets.ts";
import { counted, oneLine } from "../../core/text/text.ts";
import { projectFolderOf, storeOf } from "../../store/session/place.ts";
import { carrierAt, isPostgres, plainAddress, spacesAt } from "../../sync/address.ts";
import { closing, type Way } from "../../sync/carrier.ts";
import { isSealed } from "../../sync/epochs.ts";
import { KINDS, type Kind } from "../../sync/items.ts";
import { confirmJoin, requestJoin } from "../../sync/join.ts";
import { ROLES, type Role } from "../../sync/members.ts";
import { serverIn } from "../../sync/postgres/load.ts";
import { projectsNamed, typedAddress } from "../../sync/project.ts";
import {
	FOR_ALL,
	forgetSpace,
	newSpace,
	type Opened,
	openSpace,
	publish,
	type SharedHere,
	share,
	sharedHere,
	toShare,
} from "../../sync/space.ts";
import { roleOf } from "../../sync/state.ts";
import { planned, unshare } from "../../sync/sync.ts";
import { isConfirmed } from "../support/answer.ts";
import {
	type Answer,
	argument,
	badValue,
	DRY_RUN,
	type Given,
	GLOBAL,
	JSON_OUT,
	option,
	type Spec,
	YES,
} from "../support/command.ts";
import { type Io, WrongUse } from "../support/io.ts";
import { refuseCrossing } from "../support/place.ts";
import { exchange, rightsOf, withSpace } from "../support/sync.ts";
import { say } from "../support/text.ts";

const SHARE = option(
	"--share <kinds>",
	`what of it: ${KINDS.join(", ")}, with commas between (default: notes), or none any more`,
	{
		parse: kindsIn,
	},
);
const PUBLIC = option("--public <name>", "the name of a git remote that everybody can read, where that is meant");
const INVITATION = option("--invitation <code>", "to a server, as an owner gave it");

interface Options extends Given {
	share?: Kind[];
	project?: string;
	encrypt?: boolean;
	another?: boolean;
	public?: string;
	invitation?: string;
	role?: Role;
	projects?: string[];
}

function kindsIn(text: string): Kind[] {
	if (text === "none") return [];
	const kinds = text.split(",").map((one) => one.trim());
	const wrong = kinds.find((one) => !KINDS.includes(one as Kind));
	if (wrong !== undefined) throw badValue(`'${wrong}' is nothing that is shared; there are ${KINDS.join(", ")}`);
	return kinds as Kind[];
}

/** `ccg sync init`. */
export const init: Spec = {
	about:
		"share this project's notes with other machines: by a folder, a git repository or a PostgreSQL server; shows what first",
	args: [
		argument(
			"[carrier]",
			"a folder that all machines see, git:REMOTE, or postgres://HOST/DATABASE; once for each machine",
		),
	],
	options: [
		SHARE,
		option(
			"--project <id>",
			"which project of the space this is, where its repository does not tell; new: none of them",
		),
		option("--encrypt", "seal all texts of a new space: the carrier reads none of them"),
		option("--another", "make a space of its own, where the carrier holds one already"),
		PUBLIC,
		GLOBAL,
		YES,
		DRY_RUN,
		JSON_OUT,
	],
	help: `
The first time it makes a space, whose members share what each of them says for each project. Later, in another project's folder, it shares
that one too. Transcripts are never shared, of them with --share passages what you and the agent said last; secrets are taken out. Each machine writes its own files, so a folder that Syncthing, a
drive or a USB stick carries is enough.

Examples:
  ccg sync init ~/Sync/memory --dry-run
  ccg sync init ~/Sync/memory
  ccg sync init --share notes,tasks
  ccg sync init --share none          shares this project no more, and takes back what was said here
  ccg sync init git:git@example.org:me/memory.git
  ccg sync init postgres://db.example.org/memory --encrypt

Exit codes: 0 done, 1 failed, 2 wrong use, or nobody to ask and no --yes.`,
	async act(io, options: Options, carrier?: string) {
		refuseCrossing("sync init", io);
		const store = storeOf(io);
		const before = openSpace(store);
		if (!before && carrier === undefined)
			throw new WrongUse("name what carries it, as in: ccg sync init ~/Sync/memory");
		if (before && carrier !== undefined && plainAddress(carrier, io, options.public) !== before.address)
			throw new Error(`this store shares by ${before.address} already; 'ccg sync leave' ends that`);
		const address = before?.address ?? plainAddress(carrier!, io, options.public);
		const way: Way = { root: store.root, address, env: io.env, typed: before ? address : carrier };
		if (before && options.encrypt && !isSealed(before))
			throw new WrongUse(
				"this space is not encrypted, and only a new one can be: all leave it, and begin with another",
			);
		if (!before && !options.another && !isPostgres(address) && (await spacesAt(way)).length > 0)
			throw new Error(
				`${address} holds a space already: ccg sync join ${typedAddress(address)}; to make another one beside it add --another`,
			);
		const opened = before ?? newSpace(store, { address, env: io.env, isSealed: options.encrypt === true });
		let isBegun = before !== null;
		try {
			const folder = options.global ? null : projectFolderOf(io);
			const shared = toShare(opened, folder, options.share, options.project);
			if (shared.kinds.length === 0) return await stop(opened, shared, options, way, io);
			const items = planned(opened, shared);
			for (const { item, text } of options.json ? [] : items)
				io.out(`${item.split(":")[0]}  ${oneLine(text).slice(0, 200)}`);
			const what = `${counted(items.length, "item")} of ${shared.folder || FOR_ALL} by ${address}`;
			if (options.dryRun) return { json: { items }, text: `Would share ${what}; nothing was written.` };
			const how = { done: "shared", how: "To share it add --yes" };
			if (!(await isConfirmed(`Share ${what}?`, options.yes, io, how))) return;
			if (!before) await publish(opened, carrierAt(way, opened.space.id, true));
			isBegun = true;
			share(opened, shared);
			const done = await exchange(opened, way, io);
			for (const failure of done.failures) io.err(`ccg: ${failure}`);
			if (done.failures.length > 0) io.exit(1);
			const may = rightsOf(opened);
			const text = (): void => {
				for (const line of may ? [`Chosen: ${what}.`, may] : [`Shared ${what}.`]) say(line, io);
				if (before) return;
				if (isPostgres(address)) say("Another machine joins with what ccg sync join prints here.", io);
				// (its ccg may have another path)
				else io.out(`Another machine joins with: ccg sync join ${typedAddress(address)}`);
			};
			return { json: { items, ...done }, text };
		} finally {
			// of what is not meant, or no carrier takes, nothing is left
			if (isBegun) opened.close();
			else forgetSpace(opened);
		}
	},
};

/** Shares a project no more. */
async function stop(opened: Opened, shared: SharedHere, { yes, dryRun }: Options, way: Way, io: Io) {
	const name = shared.folder || FOR_ALL;
	// (as what it is shared, not as what is named now)
	const had = sharedHere(opened).find(({ key }) => key === shared.key);
	if (!had) throw new Error(`${name} is not shared from here`);
	if (dryRun) return { json: {}, text: `Would take back what this machine said of ${name}; nothing was written.` };
	const how = { done: "changed", how: "To do it add --yes" };
	if (!(await isConfirmed(`Share ${name} no more, and take back what was said here?`, yes, io, how))) return;
	unshare(opened, had);
	const done = await exchange(opened, way, io);
	return { json: done, text: `${name} is not shared any more; your notes stay here.` };
}

/** `ccg sync join`. */
export const join: Spec = {
	about: "share what other machines share; or take in a machine that asks, by the code that it shows",
	args: [argument("[carrier-or-code]", "what carries it, on the new machine; the code that it shows, on a member's")],
	options: [
		option("--role <role>", "what it may do (default: what its invitation says, else owner)", {
			choices: ROLES.filter((one) => one !== "none"),
		}),
		option("--projects <names>", "on a server: which projects alone it sees, by name or id, with commas between", {
			parse: (text) => text.split(",").map((one) => one.trim()),
		}),
		option("--space <id>", "which one, where the carrier holds several"),
		option("--anew", "as a machine of its own, where this store is a copy of another machine's"),
		INVITATION,
		PUBLIC,
		JSON_OUT,
	],
	help: `
A new machine asks, and shows a code. Type that code on a machine that is a member: it is made of the keys of both, so nobody between them can
put in his own. To a PostgreSQL server an owner invites first: without an argument it prints a code that is good once, for a day. With
--projects the machine gets no text of others, and may write nothing there. A machine's code, typed again, changes its role and projects; what
was withheld of a project comes with its next exchange.

Examples:
  ccg sync join ~/Sync/memory
  ccg sync join 7c2d4-9ea40-b1f6e-05ac3
  ccg sync join --role writer --projects app,site
  ccg sync join postgres://db.example.org/memory --invitation CODE

Exit codes: 0 done, 1 failed, 2 wrong use.`,
	async act(io, options: Options & { space?: string; anew?: boolean }, given?: string) {
		refuseCrossing("sync join", io);
		const store = storeOf(io);
		if (given === undefined) return invite(io, options);
		if (/^[0-9a-f]{5}(?:-?[0-9a-f]{5}){3}$/i.test(given)) return takeIn(io, given, options);
		const address = plainAddress(given, io, options.public);
		const way: Way = { root: store.root, address, env: io.env, typed: given, invitation: options.invitation };
		const own = openSpace(store, { isCopyMeant: true });
		const known = own?.address === address ? [own.space.id] : null;
		own?.close();
		const found = options.space ? [options.space] : (known ?? (await spacesAt(way)));
		if (found.length !== 1)
			throw new Error(
				found.length === 0
					? `${address} holds no space yet, or has not been synchronised`
					: `${address} holds several spaces; name one with --space: ${found.join(", ")}`,
			);
		const { opened, code } = await requestJoin(store, {
			...{ address, env: io.env, space: found[0]!, isAnew: options.anew === true },
			open: (space, create) => carrierAt(way, space, create),
		});
		const role = roleOf(opened);
		opened.close();
		const text = (): void => {
			if (role === "none") io.out(`This machine asks to join. On one that is a member, once this has reached it:`);
			else io.out(`This machine is a member already (${role}). With its code an owner may change that:`);
			// (that one's ccg may have another path)
			io.out(told`  ccg sync join ${exact(code)}`);
			if (role === "none") say("Then here: ccg sync now; and in each project's folder: ccg sync init", io);
		};
		return { json: { code, space: found[0], role }, text };
	},
};

async function invite(io: Io, { role = "owner", projects: named }: Options): Promise<Answer> {
	if (named && role === "owner") throw new WrongUse("an owner sees all projects: add --role writer, or --role reader");
	return withSpace(io, async (opened, way) => {
		return closing(carrierAt(way, opened.space.id), async (carrier) => {
			const server = serverIn(carrier);
			if (!server || role === "none") throw new WrongUse("name the carrier, or the code that the other machine shows");
			const projects = named ? projectsNamed(opened, named) : null;
			const code = await server.invite({ role, projects });
			const typed = safely`ccg sync join ${redactSecrets(typedAddress(opened.address))} --invitation ${exact(code)}`;
			return {
				json: { invitation: code, space: opened.space.id, role, projects },
				text: () =>
					io.out(told`Good once, for a day. On the new machine:\n  ${typed}\nIt shows a code, which you type here.`),
			};
		});
	});
}

async function takeIn(io: Io, code: string, { role, projects: named }: Options): Promise<Answer> {
	return withSpace(io, async (opened, way) => {
		const { role: own } = await exchange(opened, way, io);
		if (own === "none") throw new Error("this machine is no member itself: type the code on one that is");
		const said = { role, projects: named && projectsNamed(opened, named) };
		const joined = await closing(carrierAt(way, opened.space.id), (carrier) =>
			confirmJoin(opened, carrier, code, said),
		);
		await exchange(opened, way, io);
		const { machine, name, person, role: given } = joined;
		return {
			json: { machine, name, person, role: given },
			text: `${person} on ${name} is a member now (${given}).`,
		};
	});
}
