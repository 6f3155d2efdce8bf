import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import manifest from "../../package.json" with { type: "json" };
import { errorCode } from "../files/system-failure.ts";
import type { Place } from "../store/session-handle.ts";
import { ACTS } from "./acts.ts";
import { answered, failed, gated, wordsOf } from "./answer.ts";
import { type Client, placeOf } from "./place.ts";
import { resourcesOf, resourceText } from "./resources.ts";
import { INSTRUCTIONS, TOOLS, type ToolName } from "./tools.ts";

interface ServerParts {
	/** Why nothing can be answered at all; `null` where it can. */
	problem: string | null;
	log(reason: unknown): void;
	client: Client;
}

/** The server of one connection. What it works on is looked up for each call: it keeps nothing open and nothing in memory. */
export function makeServer(place: Place, { problem, log, client }: ServerParts): Server {
	const server = new Server(
		{ name: "ccg", version: manifest.version },
		{ capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
	);
	const here = () => {
		if (problem) throw new Error(problem);
		return placeOf(place, client);
	};
	server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
	server.setRequestHandler("tools/call", async ({ params }) => {
		try {
			const tool = toolNamed(params.name);
			return answered(await ACTS[tool](here(), new Date(), argumentOf(tool, params.arguments)));
		} catch (error) {
			if (isOfSystem(error)) log(`${params.name.slice(0, 40)}: ${wordsOf(error)}`);
			return failed(error);
		}
	});
	server.setRequestHandler("resources/list", () => ({
		resources: orFailure(log, () => resourcesOf(here())),
	}));
	server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
	server.setRequestHandler("resources/read", ({ params: { uri } }) => {
		const text = orFailure(log, () => resourceText(here(), uri));
		if (text === null)
			throw new ProtocolError(
				ProtocolErrorCode.InvalidParams,
				gated(`this project has no resource ${uri.slice(0, 200)}; resources/list names those there are`),
			);
		return { contents: [{ uri, mimeType: "text/markdown", text: gated(text) }] };
	});
	return server;
}

function toolNamed(name: string): ToolName {
	const tool = TOOLS.find((one) => one.name === name);
	if (tool) return tool.name;
	throw new Error(`there is no tool '${name.slice(0, 40)}'; there are ${TOOLS.map((one) => one.name).join(", ")}`);
}

/** The text a tool is given. Throws where it is missing, empty or no text. */
function argumentOf(tool: ToolName, given: Record<string, unknown> | undefined): string {
	const [wanted] = TOOLS.find(({ name }) => name === tool)!.inputSchema.required;
	if (wanted === undefined) return "";
	const value = given?.[wanted];
	if (typeof value === "string" && value.trim() !== "") return value;
	throw new Error(`'${tool}' needs '${wanted}', a text`);
}

/** Not what ccg itself says of a wrong argument. */
const isOfSystem = (error: unknown): boolean => errorCode(error) !== "" || (error as Error).cause !== undefined;

/** Failures of a request that is no tool's are errors of the protocol: in words, through the gate. */
function orFailure<T>(log: (reason: unknown) => void, act: () => T): T {
	try {
		return act();
	} catch (error) {
		if (isOfSystem(error)) log(wordsOf(error));
		throw new ProtocolError(ProtocolErrorCode.InternalError, wordsOf(error));
	}
}
