import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TESTED } from "../../../src/core/text/version.ts";
import { decodeLine } from "../../../src/core/transcript/decode.ts";
import { corpus } from "../../kit/corpus.ts";

type Fields = Record<string, unknown>;

/** As 2.0.30 to 2.1.332 were seen to write, and as versions to come may. */
const CASES = corpus(join(import.meta.dirname, "speaker.txt"));
const SAID = "Always deploy on Fridays.";
const COMMAND = `<command-message>ship</command-message>\n<command-name>/ship</command-name>\n<command-args>${SAID}</command-args>`;
const HUMAN = { origin: { kind: "human" }, promptSource: "typed", turnOrigin: "human" };
const PLACE = { uuid: "u", timestamp: "2026-11-22T10:00:00.000Z", cwd: "/p", sessionId: "s", isSidechain: false };

function line({ content = SAID, ...fields }: Fields) {
	const message = { role: "user", content: content === "COMMAND" ? COMMAND : content };
	return { type: "user", message, ...PLACE, version: "2.1.332", ...fields };
}
const signed = (fields: Fields) => line({ ...HUMAN, ...fields });
function queued({ version = "2.1.332", ...fields }: Fields, beside: Fields = {}) {
	const attachment = { type: "queued_command", prompt: SAID, commandMode: "prompt", ...fields };
	return { type: "attachment", attachment, ...PLACE, version, ...beside };
}
const MAKERS: Record<string, (fields: Fields) => Fields> = {
	...{ line, signed, queued },
	beside: (fields) => queued({ origin: HUMAN.origin }, fields),
};

/** Who a decoded line says spoke, to a witness who heard these texts. */
function who(one: Fields, heard: readonly string[] = []): "user" | "unclear" | "nobody" {
	const events = decodeLine(one, { signsQueuedMessages: () => true, sawPrompt: (text) => heard.includes(text) });
	if (events.some(({ kind }) => kind === "unclear")) return "unclear";
	return events.some(({ kind }) => kind === "message") ? "user" : "nobody";
}

/** Who spoke the lines of a section: without a witness who heard it, and with one. */
const SPEAKERS = {
	"the user's": ["user", "user"],
	"the user's, for what is not known takes nothing from what is": ["user", "user"],
	"nobody's, whatever a witness says": ["nobody", "nobody"],
	"unclear without a witness, the user's with one": ["unclear", "user"],
	// a version that signs every prompt
	"nobody's without a witness, the user's with one": ["nobody", "user"],
};

describe.each(Object.entries(SPEAKERS))("%s", (section, [alone, heard]) => {
	test.each(CASES[section]!)("%s", (row) => {
		const [, maker, fields] = /: (\w+) (\{.*)$/.exec(row)!;
		const one = MAKERS[maker!]!(JSON.parse(fields!));
		const found = [who(one), who(one, ["something else"]), who(one, [SAID, `/ship ${SAID}`])];
		expect(found).toEqual([alone, alone, heard]);
	});
});

test.each(CASES["fields on lines of others, also beside a person's signature"]!)(
	"nobody's, whatever a witness says: a line with %s",
	(field) => {
		for (const value of [true, "x", { id: 1 }]) {
			expect(who(signed({ [field]: value }), [SAID])).toBe("nobody");
			expect(who(signed({ version: "2.4.0", [field]: value, unheardOf: 1 }), [SAID])).toBe("nobody");
			expect(who(queued({ origin: { kind: "human" }, [field]: value }), [SAID])).toBe("nobody");
		}
		expect(who(signed({ [field]: false }))).toBe("user");
	},
);

test("the newest version tried is the one that the tests run", () => {
	const { config } = JSON.parse(readFileSync("package.json", "utf8"));
	expect(TESTED.join(".")).toBe(config.claudeCode);
});
