package backends

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// TypesOf returns the TypeScript types of a schema's records, and of the functions that work with
// them, with a function that follows records in a page (src/backend.gen.ts).
func TypesOf(schema backend.Schema) []byte {
	var out strings.Builder
	out.WriteString(core.BackendTypesNotice + "\n")
	out.WriteString("export interface BaseRecord {\n  id: string;\n  collectionId: string;\n  collectionName: string;\n}\n")
	for _, collection := range schema.Collections {
		writeCollection(&out, collection, schema)
	}
	out.WriteString("\nexport interface Collections {\n")
	for _, collection := range schema.Collections {
		fmt.Fprintf(&out, "  %s: %s;\n", collection.Name, typeName(collection.Name))
	}
	out.WriteString("}\n")
	writeFunctionTypes(&out, schema)
	return []byte(out.String())
}

// typeName is the name of a collection's interface: guest_books becomes GuestBooksRecord.
func typeName(collection string) string {
	var name strings.Builder
	upper := true
	for _, c := range collection {
		if c == '_' {
			upper = true
			continue
		}
		if upper {
			c = unicode.ToUpper(c)
		}
		upper = false
		name.WriteRune(c)
	}
	return name.String() + "Record"
}

func writeCollection(out *strings.Builder, collection backend.Collection, schema backend.Schema) {
	fmt.Fprintf(out, "\nexport interface %s extends BaseRecord {\n", typeName(collection.Name))
	if collection.Type == backend.Auth {
		out.WriteString("  email?: string;\n  emailVisibility: boolean;\n  verified: boolean;\n")
	}
	var related []backend.Field
	for _, field := range collection.Fields {
		if collection.IsSystem(field.Name) || string(field.Options["hidden"]) == "true" || field.Type == "password" {
			continue
		}
		fmt.Fprintf(out, "  %s: %s;\n", field.Name, typeOf(field))
		if field.Type == "relation" {
			related = append(related, field)
		}
	}
	if collection.Type == backend.View {
		// The fields of a view are those of its query.
		out.WriteString("  [field: string]: unknown;\n")
	}
	writeExpand(out, related, schema)
	out.WriteString("}\n")
}

func writeExpand(out *strings.Builder, related []backend.Field, schema backend.Schema) {
	if len(related) == 0 {
		return
	}
	out.WriteString("  expand?: {\n")
	for _, field := range related {
		name := "BaseRecord"
		if target := find(schema.Collections, field.Text("collectionId")); target != nil {
			name = typeName(target.Name)
		}
		if isMultiple(field) {
			name += "[]"
		}
		fmt.Fprintf(out, "    %s?: %s;\n", field.Name, name)
	}
	out.WriteString("  };\n")
}

// typeOf is the type of a field's value as the client reads it.
func typeOf(field backend.Field) string {
	switch field.Type {
	case "number":
		return "number"
	case "bool":
		return "boolean"
	case "json":
		return "unknown"
	case "geoPoint":
		return "{ lon: number; lat: number }"
	case "select":
		return plural(field, choices(field))
	case "relation", "file":
		return plural(field, "string")
	}
	return "string"
}

// choices is the union of a select's values.
func choices(field backend.Field) string {
	var values []string
	if json.Unmarshal(field.Options["values"], &values) != nil || len(values) == 0 {
		return "string"
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return "string"
		}
		quoted[i] = string(text)
	}
	slices.Sort(quoted)
	union := strings.Join(slices.Compact(quoted), " | ")
	if !isMultiple(field) && string(field.Options["required"]) != "true" {
		union += ` | ""`
	}
	return union
}

func plural(field backend.Field, one string) string {
	if !isMultiple(field) {
		return one
	}
	if strings.Contains(one, "|") {
		return "(" + one + ")[]"
	}
	return one + "[]"
}

// isMultiple reports whether a field holds a list.
func isMultiple(field backend.Field) bool {
	var most int
	return json.Unmarshal(field.Options["maxSelect"], &most) == nil && most > 1
}

// functionTypes are the types of functions but for FunctionUser. Names of collections cannot be
// those of the interfaces here, because theirs end in Record.
const functionTypes = `
/** What a function in functions/ exports: export default async (req: Request, ctx: FunctionContext) => Response. */
export type FunctionHandler = (req: Request, ctx: FunctionContext) => Response | Promise<Response>;

/** What a function that also runs by the clock exports, in UTC and once it is published: export const schedule: FunctionSchedule = "0 8 * * *". */
export type FunctionSchedule = ` + "`${string} ${string} ${string} ${string} ${string}`" + `;

/** The second argument of a function. */
export interface FunctionContext {
  /** The user who is signed in: the page sends its token, such as pb.authStore.token, as Authorization. */
  readonly user: FunctionUser | null;
  /** The records, with the rights of the user; data.admin has all rights. */
  readonly data: FunctionData & { readonly admin: FunctionData };
  /** The environment values of the project. */
  readonly secrets: { readonly [name: string]: string };
  /** Reaches the hosts that the workspace allows. */
  readonly fetch: typeof fetch;
  /** Sends a mail; those of the preview are kept and not sent. */
  mail(to: string, subject: string, text: string): Promise<void>;
  /** Asks the AI model of the workspace, within its credit, and returns its text. */
  ai(prompt: string, options?: { system?: string; maxTokens?: number }): Promise<string>;
  /** Writes to the log, which only members see. */
  log(...values: unknown[]): void;
}

export interface FunctionData {
  collection<Name extends keyof Collections>(name: Name): FunctionCollection<Collections[Name]>;
  send<T = unknown>(path: string, options?: FunctionRequest): Promise<T>;
  filter(text: string, values?: { [name: string]: unknown }): string;
}

export interface FunctionCollection<T> {
  getList(page?: number, perPage?: number, query?: FunctionQuery): Promise<{ page: number; perPage: number; totalItems: number; totalPages: number; items: T[] }>;
  getFullList(query?: FunctionQuery): Promise<T[]>;
  getFirstListItem(filter: string, query?: FunctionQuery): Promise<T>;
  getOne(id: string, query?: FunctionQuery): Promise<T>;
  create(body: object, query?: FunctionQuery): Promise<T>;
  update(id: string, body: object, query?: FunctionQuery): Promise<T>;
  delete(id: string): Promise<boolean>;
}

export interface FunctionQuery {
  filter?: string;
  sort?: string;
  expand?: string;
  fields?: string;
  [name: string]: string | number | boolean | null | undefined;
}

export interface FunctionRequest {
  method?: string;
  query?: FunctionQuery;
  headers?: { [name: string]: string };
  body?: string | object;
}
`

// watchFunction is what pages call to show records that stay up to date. The client's own subscription
// says nothing of what happened while its connection was lost.
const watchFunction = `
/** The part of the client from the package pocketbase that watch needs. */
export interface WatchClient {
  collection(name: string): {
    getFullList(query?: object): Promise<unknown[]>;
    subscribe(topic: string, callback: () => void): Promise<() => Promise<void>>;
  };
  realtime: { subscribe(topic: string, callback: () => void): Promise<() => Promise<void>> };
}

/** Shows the records that a query finds: at once, after each change, and after a lost connection. Calling what it returns ends it. */
export async function watch<Name extends keyof Collections>(client: WatchClient, name: Name, query: FunctionQuery, show: (records: Collections[Name][]) => void): Promise<() => void> {
  const collection = client.collection(name);
  let ended = false;
  let reading = false;
  let changed = false;
  const read = async () => {
    changed = true;
    if (reading) return;
    reading = true;
    try {
      while (changed && !ended) {
        changed = false;
        const records = await collection.getFullList({ ...query, requestKey: null });
        if (!ended && !changed) show(records as Collections[Name][]);
      }
    } finally {
      reading = false;
    }
  };
  const again = () => {
    read().catch((error) => console.error(error));
  };
  const ends = [await collection.subscribe("*", again), await client.realtime.subscribe("PB_CONNECT", again)];
  await read();
  return () => {
    ended = true;
    for (const end of ends) end().catch(() => {});
  };
}
`

// writeFunctionTypes writes the types of the project's functions.
func writeFunctionTypes(out *strings.Builder, schema backend.Schema) {
	var users []string
	for _, collection := range schema.Collections {
		if collection.Type == backend.Auth {
			users = append(users, typeName(collection.Name))
		}
	}
	if len(users) == 0 {
		users = []string{"never"}
	}
	out.WriteString(functionTypes)
	out.WriteString("\nexport type FunctionUser = " + strings.Join(users, " | ") + ";\n" + watchFunction)
}
