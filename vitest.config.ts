import { defineConfig } from "vitest/config";

/**
 * Four projects: `unit` needs nothing but Bun; `faults` kills, fails and crowds real processes (strace); `security` attacks;
 * `e2e` drives the real Claude Code and is started by
 * `scripts/test-e2e`, which brings Claude Code and takes the network away first. `npm test` leaves out what takes long.
 */
const long = process.env.CCG_TEST_SHORT ? ["**/*.long.test.ts"] : [];

export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: "unit",
					include: ["test/**/*.test.ts"],
					exclude: ["test/e2e/**", "test/faults/**", "test/security/**", ...long],
					setupFiles: ["test/scratch-home.ts"],
					testTimeout: 20_000,
				},
			},
			{
				test: {
					name: "faults",
					include: ["test/faults/**/*.test.ts"],
					exclude: long,
					setupFiles: ["test/scratch-home.ts"],
					testTimeout: 60_000,
				},
			},
			{
				test: {
					name: "security",
					include: ["test/security/**/*.test.ts"],
					exclude: long,
					setupFiles: ["test/scratch-home.ts"],
					testTimeout: 60_000,
				},
			},
			{
				test: {
					name: "e2e",
					include: ["test/e2e/**/*.test.ts"],
					exclude: long,
					setupFiles: ["test/scratch-home.ts"],
					testTimeout: 240_000,
					hookTimeout: 120_000,
					// a session mostly waits: three at once take a third of two cores
					maxWorkers: 3,
					// a terminal on a busy machine may be late; what is told twice is false
					retry: 1,
				},
			},
		],
	},
});
