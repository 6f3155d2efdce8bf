import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/store/config/config.ts";
import { NO_EMBEDDINGS } from "../../src/store/config/embeddings.ts";
import { chooseProfile } from "../../src/store/config/profiles.ts";
import { configPath } from "../../src/store/paths.ts";
import { scratch } from "../scratch-home.ts";

const GOOD = { url: "https://gpu.example/v1", model: "tiny" };
const tell = () => {};

function loaded(file: object, profile?: Record<string, Record<string, unknown>>) {
	const root = join(scratch("config"), "store");
	mkdirSync(root, { mode: 0o700 });
	writeFileSync(configPath(root), JSON.stringify(file));
	if (profile)
		chooseProfile(
			{ root, tell },
			{ folder: root },
			{ version: 1, name: "far", compiled_at: "", source: "", config: profile },
		);
	return loadConfig(root, { folder: root, tell });
}

test("config.json sets it", () => {
	const { config, problems } = loaded({ embeddings: GOOD });
	expect([config.embeddings, problems]).toEqual([{ ...NO_EMBEDDINGS, ...GOOD }, []]);
});

test.each<[object, string]>([
	[{ ...GOOD, keyEnv: 7 }, "embeddings.keyEnv: must be a string"],
	[{ ...GOOD, keyenv: "KEY" }, "embeddings.keyenv: unknown key"],
	[{ ...GOOD, url: "http://gpu.example/v1" }, "embeddings.url: http to gpu.example"],
	[[], "embeddings: must be an object"],
])("%o: off as a whole, and told", (embeddings, problem) => {
	const { config, problems } = loaded({ embeddings });
	expect(config.embeddings).toEqual(NO_EMBEDDINGS);
	expect(problems).toEqual([expect.stringContaining(problem)]);
});

test("a profile that was compiled with it sets what else it says, but not that", () => {
	const profile = { embeddings: GOOD, nudge: { wording: "off" } };
	const { config, profile: name } = loaded({}, profile);
	expect([name, config.nudge.wording, config.embeddings]).toEqual(["far", "off", NO_EMBEDDINGS]);
});
