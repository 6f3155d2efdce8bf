import { readFileSync } from "node:fs";
import { join } from "node:path";
import { printedBy } from "./process.ts";

/** Serves the repositories in a folder by https with a certificate that nobody knows; below `/closed/` it wants a password. */
export function gitServer(base: string): { url: string; certificate: string; stop(): void } {
	const how =
		"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=a -keyout a.key -out a.crt";
	printedBy(["openssl", ...how.split(" "), "-addext", "subjectAltName=IP:127.0.0.1"], { cwd: base });
	const [key, cert] = ["a.key", "a.crt"].map((name) => readFileSync(join(base, name), "utf8"));
	const server = Bun.serve({
		...{ hostname: "127.0.0.1", port: 0, tls: { key, cert } },
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			if (pathname.startsWith("/closed/"))
				return new Response("", { status: 401, headers: { "WWW-Authenticate": "Basic realm=a" } });
			const head = (name: string): string => request.headers.get(name) ?? "";
			const child = Bun.spawn(["git", "-c", "http.receivepack=true", "http-backend"], {
				env: {
					...{ PATH: process.env.PATH, HOME: base, GIT_PROJECT_ROOT: base, GIT_HTTP_EXPORT_ALL: "1" },
					...{ REQUEST_METHOD: request.method, PATH_INFO: pathname, QUERY_STRING: search.slice(1) },
					...{ CONTENT_TYPE: head("content-type"), HTTP_CONTENT_ENCODING: head("content-encoding") },
					GIT_PROTOCOL: head("git-protocol"),
				},
				stdin: Buffer.from(await request.arrayBuffer()),
			});
			const said = Buffer.from(await new Response(child.stdout).arrayBuffer());
			const end = said.indexOf("\r\n\r\n");
			const lines = said.subarray(0, end).toString().split("\r\n");
			const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]));
			return new Response(said.subarray(end + 4), {
				status: Number.parseInt(headers.get("status") ?? "200", 10),
				headers,
			});
		},
	});
	return {
		...{ url: `https://127.0.0.1:${server.port}`, certificate: join(base, "a.crt") },
		stop: () => void server.stop(true),
	};
}
