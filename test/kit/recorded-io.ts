import pc from "picocolors";
import type { Io } from "../../src/cli/support/io.ts";
import { LAUNCHER } from "./sandbox.ts";

/** What a command said, line by line, and its exit code. */
export interface Recorded {
	io: Io;
	out: string[];
	err: string[];
	code: number;
}

/** What a command may touch of a process without a terminal; all of it is kept. */
export function recordedIo(fields: Partial<Io> = {}): Recorded {
	const recorded: Recorded = {
		io: {
			env: {},
			cwd: "/",
			launcher: LAUNCHER,
			interactive: false,
			colours: pc.createColors(false),
			out: (line) => recorded.out.push(line),
			err: (line) => recorded.err.push(line),
			tell: ({ text }) => recorded.io.err(`ccg: ${text}`),
			exit: (code) => {
				recorded.code = code;
			},
			...fields,
		},
		out: [],
		err: [],
		code: 0,
	};
	return recorded;
}
