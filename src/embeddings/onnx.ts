import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/** What ccg uses of `@huggingface/transformers`, an optional package that the user installs beside ccg. */
interface Transformers {
	env: object;
	pipeline(task: "feature-extraction", model: string, options: object): Promise<Extractor>;
}
type Extractor = (texts: string[], options: object) => Promise<{ tolist(): unknown[]; dispose?(): void }>;

/** In a process that goes on, as the MCP server does, the model is loaded once. */
const loaded = new Map<string, Promise<Extractor>>();

/** The vectors of texts by an ONNX model on the disk: `folder` holds config.json, tokenizer.json and
 * onnx/model.onnx (or onnx/model_quantized.onnx). Nothing is downloaded. */
export async function askModel(folder: string, texts: readonly string[]): Promise<unknown[]> {
	if (!loaded.has(folder)) {
		const model = load(folder);
		// a model that is mended is tried again
		model.catch(() => loaded.delete(folder));
		loaded.set(folder, model);
	}
	const answer = await (await loaded.get(folder)!)([...texts], { pooling: "mean", normalize: true });
	const vectors = answer.tolist();
	answer.dispose?.();
	return vectors;
}

async function load(folder: string): Promise<Extractor> {
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new Error(`is not there: ${folder} is no folder`);
	const { env, pipeline } = await transformers();
	Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, useFSCache: false });
	const isWhole = existsSync(join(folder, "onnx", "model.onnx"));
	try {
		return await pipeline("feature-extraction", folder, { local_files_only: true, dtype: isWhole ? "fp32" : "q8" });
	} catch (error) {
		throw new Error(`could not be loaded: ${String((error as Error).message).slice(0, 200)}`, { cause: error });
	}
}

/** Found beside ccg alone, never in a project's folder. */
async function transformers(name = "@huggingface/transformers"): Promise<Transformers> {
	try {
		return (await import(name)) as Transformers;
	} catch (error) {
		const { code = "" } = error as { code?: string };
		if (!/NOT_FOUND/.test(code) && !/Cannot find (?:module|package)/.test(String(error))) throw error;
		throw new Error(
			`needs ${name}: install it beside ccg (npm install --prefix ~/.claude-memory/app ${name}), or use an endpoint`,
		);
	}
}
