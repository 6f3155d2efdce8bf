import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCases } from "../../bench/fidelity/cases.ts";
import { indexBefore, sessionsOf } from "../../bench/unasked/index-before.ts";
import { judged, namesOf } from "../../bench/unasked/names.ts";
import { type Occasion, occasionsOf } from "../../bench/unasked/occasions.ts";
import { WAYS } from "../../bench/unasked/ways.ts";
import { Transcript } from "../kit/events.ts";
import { scratch } from "../scratch-home.ts";

const FILE = { file_path: "/p/src/parser.ts", old_string: "a", new_string: "b" };
const folder = scratch("recall-unasked");
mkdirSync(folder, { recursive: true });
new Transcript("/p")
	.typed("make the parser read port_map_v2 from conf/ports.json")
	.said("port_map_v2 stands in conf/ports.json")
	.call("Edit", FILE, "done")
	.call("Bash", { command: "npm run deploy" }, "DEPLOY_TOKEN_FILE is not set", { failed: true })
	.call("Bash", { command: "DEPLOY_TOKEN_FILE=/run/deploy.tok npm run deploy" }, "deployed")
	.boundary()
	.summary("The parser was changed; told_in_summary.")
	.typed("do the ports as we did for the parser")
	.typed("do the ports as we did for the parser")
	.call("Edit", { ...FILE, new_string: "told_in_summary given_in_block" }, "done")
	.call("Edit", { ...FILE, new_string: "c" }, "done")
	.call("Read", { file_path: "/p/conf/ports.json" }, "seen_since_x1")
	.call("Bash", { command: "npm run deploy" }, "DEPLOY_TOKEN_FILE is not set", { failed: true })
	.call("Bash", { command: "DEPLOY_TOKEN_FILE=/run/deploy.tok npm run deploy seen_since_x1" }, "deployed")
	.typed("thanks")
	.said("port_map_v2 is done")
	.write(join(folder, "s.jsonl"));

const cases = loadCases(folder);
const [one] = cases;
const occasions = occasionsOf(one!, "given_in_block");
const of = (trigger: Occasion["trigger"]) => occasions.filter((occasion) => occasion.trigger === trigger);

test("a prompt said twice, a failure and the first edit of a file edited before are an occasion each, when calls follow", () => {
	expect(occasions.map(({ trigger, text }) => [trigger, text.split("\n")[0]])).toEqual([
		["prompt", "do the ports as we did for the parser"],
		["edit", "/p/src/parser.ts"],
		["failure", "npm run deploy"],
	]);
	expect(of("prompt")[0]!.needed).toEqual(["src/parser.ts", "conf/ports.json", "deploy_token_file", "run/deploy.tok"]);
});

test.each([
	["it is conf/ports.json", "prompt", "new"],
	["set it to /run/deploy.tok", "failure", "new"],
	["given_in_block", "prompt", "block"],
	["told_in_summary", "prompt", "summary"],
	["seen_since_x1", "failure", "conversation"],
	["DEPLOY_TOKEN_FILE", "failure", "occasion"],
	["port_map_v2", "prompt", "idle"],
	["ports_json told_in_summary2 deploy", "prompt", "idle"],
] as const)("%s, given with the %s: %s", (text, trigger, verdict) => {
	expect(judged(text, of(trigger)[0]!)).toBe(verdict);
});

test("names are identifiers, paths and values, no plain words", () => {
	expect([...namesOf("Re-run the well-known parseDocument in src/a.ts and/or old_string, port 8080x")]).toEqual([
		"parsedocument",
		"src/a.ts",
		"8080x",
	]);
});

test("what was done when a call failed the same way is given, and counts as of use", () => {
	const before = indexBefore(one!, sessionsOf(cases), join(folder, "index"));
	const failure = of("failure")[0]!;
	const way = WAYS.find(({ name }) => name.startsWith("likeness"))!;
	const [given] = way.give({ ...before, one: failure, isOwn: true, now: Date.now() / 1000 });
	before.index.close();
	expect(given).toMatchObject({ strength: 1 });
	expect(judged(given!.text, failure)).toBe("new");
});

test("nothing of what follows the compaction is in the index", () => {
	const before = indexBefore(one!, sessionsOf(cases), join(folder, "index-2"));
	const said = before.ids.map(({ id }) => before.index.around(id, { before: 0, after: 0 })![0]!.text).join("\n");
	before.index.close();
	expect(said).toContain("deploy.tok");
	expect(said).not.toMatch(/seen_since_x1|given_in_block|as we did/);
});
