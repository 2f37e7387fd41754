/** Saves artifacts, links them and makes eval cases of them. */
import { createHash } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { identifier, label } from "../../intake/fields.ts";
import { compileSchema } from "../../json/schema/validate.ts";
import { artifactLink, artifactSaved, LARGEST_ARTIFACT } from "../../runs/artifact.ts";
import type { Exporter } from "../export/exporter.ts";
import { marksOf } from "../marks.ts";
import type { RunContext } from "../run-context.ts";
import { reasonOf, type Warnings } from "../warnings.ts";
import type { Artifact, ArtifactApi, ArtifactRef, SaveOptions } from "./artifact-api.ts";

interface ArtifactPorts {
  readonly context: RunContext;
  readonly exporter: Exporter;
  readonly warn: Warnings;
  readonly now: () => number;
  readonly sendsContent: boolean;
}

export function artifactApi(ports: ArtifactPorts): ArtifactApi {
  const { exporter, warn, now } = ports;
  return {
    save(content, options) {
      try {
        return save(content, options, ports);
      } catch (cause) {
        warn.once("artifact", `an artifact was not saved: ${reasonOf(cause)}`);
        return null;
      }
    },
    link(artifact, source, relation) {
      const ends = { artifact: idOf(artifact), source: idOf(source) };
      const parsed = artifactLink.safeParse({ ...ends, relation, createdAt: now() });
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        warn.once("link", `artifacts were not linked: ${issue?.path.join(".")}: ${issue?.message}`);
        return false;
      }
      exporter.add({ type: "link", link: parsed.data });
      return true;
    },
    promoteToEval(artifact, options) {
      const { task, corrected, variables, messages } = options ?? {};
      const named = label.safeParse(task ?? (typeof artifact === "string" ? undefined : artifact?.task));
      const id = identifier.safeParse(idOf(artifact));
      if (!named.success || !id.success) {
        const why = id.success ? "no task says what it is an example of" : "it has no valid id";
        warn.once("promote", `an artifact was not made an eval case: ${why}`);
        return null;
      }
      const caseId = `case_${uuidv7()}`;
      const body = {
        id: caseId,
        task: named.data,
        ...(corrected === undefined ? {} : { corrected }),
        ...(messages === undefined ? {} : { input: { kind: "messages", request: { messages } } }),
        ...(variables === undefined ? {} : { input: { kind: "variables", variables } }),
      };
      exporter.add({ type: "promote", artifact: id.data, body });
      return caseId;
    },
  };
}

function save(content: unknown, options: SaveOptions, ports: ArtifactPorts): ArtifactRef | null {
  const { context, exporter, warn, now, sendsContent } = ports;
  const json = typeof content !== "string";
  const text = json ? JSON.stringify(content) : content;
  if (typeof text !== "string") throw new TypeError("its content is nothing that JSON can hold");
  const { run, step } = marksOf(options, context, warn);
  const bytes = Buffer.byteLength(text);
  const sent = sendsContent && bytes <= LARGEST_ARTIFACT;
  if (sendsContent && !sent) {
    warn.once("artifact size", `of artifacts above ${LARGEST_ARTIFACT} bytes only hash and size are kept`);
  }
  const { name, type, task, inferenceId: inference } = options;
  const parsed = artifactSaved.safeParse({
    id: `art_${uuidv7()}`,
    ...{ run, step, name, type, task, inference, json, bytes },
    conformant: options.conformant ?? conforms(content, options.schema, warn),
    hash: createHash("sha256").update(text).digest("hex"),
    content: sent ? text : undefined,
    createdAt: now(),
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new TypeError(`${issue?.path.join(".")}: ${issue?.message}`);
  }
  exporter.add({ type: "artifact", artifact: parsed.data });
  return { id: parsed.data.id, task };
}

function conforms(content: unknown, schema: unknown, warn: Warnings): boolean | undefined {
  if (schema === undefined) return undefined;
  const validate = compileSchema(schema);
  if (validate.ok) return validate.value(content).valid;
  warn.once("artifact schema", "the schema of an artifact cannot be compiled, so its conformance is unknown");
  return undefined;
}

function idOf(artifact: Artifact): string | undefined {
  return typeof artifact === "string" ? artifact : artifact?.id;
}
