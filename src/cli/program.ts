import { keepOut } from "../core/redact/secrets.ts";
import { failureText } from "../files/system-failure.ts";
import { enterFolder } from "../install/launcher.ts";
import { inWords } from "../store/database-errors.ts";
import { ownVariables } from "../store/own-variables.ts";
import { storeRoot } from "../store/paths.ts";
import { refuseOpenStore } from "../store/refuse-links.ts";
import { plainCall } from "./plain-call.ts";
import { printAnswer } from "./support/answer.ts";
import { ALL, type Call, type Commands } from "./support/command.ts";
import { type Io, processIo, WrongUse } from "./support/io.ts";
import { refuseCrossing } from "./support/place.ts";

/** Runs this process as `ccg` with these commands, once the environment's secrets are known and its working folder is the caller's. */
export function start(commands: Commands): void {
	keepOut(ownVariables(process.env, process.env.CCG_CWD ?? process.cwd()));
	const problem = enterFolder(process.env);
	const io = processIo();
	if (problem) fail(problem, io);
	else void runProgram(process.argv.slice(2), io, commands);
}

/**
 * Runs `ccg` with these arguments. Exit codes: 0 done (help and version too), 1 failed (one line says why) or an answer that did not
 * arrive, 2 wrong use, or what the command sets.
 */
export async function runProgram(given: readonly string[], io: Io, commands: Commands): Promise<void> {
	// no option of a command: a permission rule for one allows whatever stands behind it
	io.anyway = given[0] === "--anyway";
	io.args = given.slice(Number(io.anyway));
	try {
		const call = await plainCall(io.args, commands);
		const wrong = call && (await run(call, io));
		if (!call || wrong) await (await import("./parser.ts")).parse(io, commands, async (one) => wrong ?? run(one, io));
	} catch (error) {
		fail(failureText(inWords(error, "a database of", storeRoot(io.env) ?? "the store")), io);
	}
	const lost = io.lost?.();
	if (lost) fail(`the answer could not be written to standard output: ${lost}`, io);
}

function fail(why: string, io: Io): void {
	io.err(`ccg: ${why}`);
	io.exit(1);
}

/** Gives what was wrong in how it was called. */
async function run({ name, spec, given, args }: Call, io: Io): Promise<WrongUse | null> {
	// what lies in a store that others may write to is not shown either; doctor tells that itself, and the demo has its own
	const root = ["doctor", "demo"].includes(name) ? null : storeRoot(io.env);
	if (root) refuseOpenStore(root);
	try {
		if (given.all && spec.options?.includes(ALL)) refuseCrossing("--all", io);
		const answer = await spec.act(io, given as never, ...(args as never[]));
		if (answer) printAnswer(answer, given, io);
	} catch (error) {
		if (error instanceof WrongUse) return error;
		throw error;
	}
	return null;
}
