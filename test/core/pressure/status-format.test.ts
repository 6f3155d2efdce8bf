import { expect, test } from "vitest";
import { colourProblem } from "../../../src/core/pressure/status-colours.ts";
import { formatProblem } from "../../../src/core/pressure/status-format.ts";

test.each([
	["{lefft}", /^there is no part \{lefft\}; parts are model, tokens, /],
	["{}", /^there is no part \{\}/],
	["{left:long}", /a brace must belong to a part/],
	["{left", /a brace must belong to a part/],
	["{left} }", /a brace must belong to a part/],
	["wide", /^"wide" is no preset and names no part; presets are full, compact, bar/],
	["", /names no part/],
	["{left}\n{bar}", /one line of visible characters/],
	["{left}\u001b[31m", /one line of visible characters/],
	["{left}\u202e", /one line of visible characters/],
	["{left}".repeat(60), /300 characters at most/],
	["constructor", /no preset/],
])("format %j is refused", (format, problem) => expect(formatProblem(format)).toMatch(problem));

test.each(["full", "compact", "bar", "{left}", "a {left:short}|{bar} ö"])("format %j is taken", (format) =>
	expect(formatProblem(format)).toBeNull(),
);

test.each(["none", "dim", "bold", "red", "bright-white", "0", "255", "#00fFa0"])("%s is a colour", (colour) =>
	expect(colourProblem(colour)).toBeNull(),
);
test.each(["256", "-1", "purple", "bright-dim", "#fff", "31m", "", "1;5", "constructor"])("%j is none", (colour) =>
	expect(colourProblem(colour)).toMatch(/is no colour; colours are none, dim/),
);
