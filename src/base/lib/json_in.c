// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/json_in.h"
#include "lib/number.h"
#include "lib/string_list.h"

#define MAX_DEPTH 32

struct node {
	enum json_kind kind;
	const char *text; /* of a number or string */
	size_t end; /* the first node after this value */
};

struct json_in {
	char *text; /* strings are unescaped and terminated in place */
	char *next; /* not parsed yet */
	struct node *nodes;
	size_t count;
	size_t capacity;
};

static int add(struct json_in *in, enum json_kind kind, const char *text)
{
	if (array_make_room(&in->nodes, in->count, &in->capacity) < 0)
		return -ENOMEM;
	in->nodes[in->count] = (struct node){ kind, text, in->count + 1 };
	in->count++;
	return 0;
}

/* Skips white space and returns the next character. */
static char peek(struct json_in *in)
{
	in->next += strspn(in->next, " \t\n\r");
	return *in->next;
}

/* Reads four hexadecimal digits and moves *@text past them. */
static bool scan_hex(const char **text, uint32_t *code)
{
	*code = 0;
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		char c = *(*text)++;
		const char *digit =
			strchr(digits, c >= 'A' && c <= 'F' ? c | 0x20 : c);

		if (!c || !digit)
			return false;
		*code = *code << 4 | (uint32_t)(digit - digits);
	}
	return true;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/*
 * Reads the code after "\u", a surrogate pair if it is past 16 bits. A low
 * surrogate alone stands for a byte that is not UTF-8 (json_out.h).
 */
static bool scan_code(const char **text, uint32_t *code)
{
	uint32_t low;

	if (!scan_hex(text, code) || !*code)
		return false;
	if (*code < 0xd800 || *code >= 0xe000 ||
	    (*code >= 0xdc80 && *code <= 0xdcff))
		return true;
	if (*code >= 0xdc00)
		return false;
	if (*(*text)++ != '\\' || *(*text)++ != 'u' || !scan_hex(text, &low) ||
	    low < 0xdc00 || low >= 0xe000)
		return false;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

/* Reads one escape, after its backslash. */
static bool unescape(const char **from, char **to)
{
	static const char names[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	const char *name;
	uint32_t code;
	char c = *(*from)++;

	if (c == 'u') {
		if (!scan_code(from, &code))
			return false;
		if (code >= 0xdc80 && code <= 0xdcff)
			*(*to)++ = (char)(code & 0xff);
		else
			*to = put_utf8(*to, code);
		return true;
	}
	name = c ? strchr(names, c) : NULL;
	if (!name)
		return false;
	*(*to)++ = bytes[name - names];
	return true;
}

static int parse_string(struct json_in *in)
{
	char *text = in->next + 1, *to = text;
	const char *from = text;

	while (*from != '"') {
		/* A control character, or the end of the text. */
		if ((unsigned char)*from < 0x20)
			return -EBADMSG;
		if (*from != '\\') {
			*to++ = *from++;
			continue;
		}
		from++;
		if (!unescape(&from, &to))
			return -EBADMSG;
	}
	in->next += from + 1 - in->next;
	*to = '\0';
	return add(in, JSON_STRING, text);
}

static bool skip_digits(struct json_in *in)
{
	size_t digits = strspn(in->next, "0123456789");

	in->next += digits;
	return digits > 0;
}

static int parse_number(struct json_in *in)
{
	const char *text = in->next;

	in->next += *in->next == '-';
	if (*in->next == '0')
		in->next++;
	else if (!skip_digits(in))
		return -EBADMSG;
	if (*in->next == '.') {
		in->next++;
		if (!skip_digits(in))
			return -EBADMSG;
	}
	if (*in->next == 'e' || *in->next == 'E') {
		in->next++;
		in->next += *in->next == '+' || *in->next == '-';
		if (!skip_digits(in))
			return -EBADMSG;
	}
	return add(in, JSON_NUMBER, text);
}

static int parse_word(struct json_in *in)
{
	static const char *const words[] = {
		[JSON_NULL] = "null",
		[JSON_FALSE] = "false",
		[JSON_TRUE] = "true",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);

		if (strncmp(in->next, words[i], length) != 0)
			continue;
		in->next += length;
		return add(in, (enum json_kind)i, NULL);
	}
	return parse_number(in);
}

static int parse_value(struct json_in *in, unsigned int depth);

static int parse_member(struct json_in *in, unsigned int depth)
{
	int ret = peek(in) == '"' ? parse_string(in) : -EBADMSG;

	if (ret < 0)
		return ret;
	if (peek(in) != ':')
		return -EBADMSG;
	in->next++;
	return parse_value(in, depth);
}

/* Parses an array or an object, up to @close. */
static int parse_list(struct json_in *in, unsigned int depth,
		      enum json_kind kind, char close)
{
	size_t place = in->count;
	int ret = add(in, kind, NULL);
	char after = ',';

	in->next++;
	if (!ret && peek(in) == close) {
		in->next++;
		return 0;
	}
	while (!ret && after == ',') {
		ret = kind == JSON_OBJECT ? parse_member(in, depth) :
					    parse_value(in, depth);
		if (!ret)
			after = peek(in);
		if (!ret && after != ',' && after != close)
			ret = -EBADMSG;
		if (!ret)
			in->next++;
	}
	if (!ret)
		in->nodes[place].end = in->count;
	return ret;
}

static int parse_value(struct json_in *in, unsigned int depth)
{
	if (depth == MAX_DEPTH)
		return -EBADMSG;
	switch (peek(in)) {
	case '{':
		return parse_list(in, depth + 1, JSON_OBJECT, '}');
	case '[':
		return parse_list(in, depth + 1, JSON_ARRAY, ']');
	case '"':
		return parse_string(in);
	default:
		return parse_word(in);
	}
}

int json_in_open(char *text, struct json_in **document)
{
	struct json_in *in = calloc(1, sizeof(*in));
	int ret;

	*document = NULL;
	if (!in) {
		free(text);
		return -ENOMEM;
	}
	in->text = in->next = text;
	ret = parse_value(in, 0);
	if (!ret && peek(in))
		ret = -EBADMSG;
	if (ret < 0)
		json_in_close(in);
	else
		*document = in;
	return ret;
}

void json_in_close(struct json_in *document)
{
	if (!document)
		return;
	free(document->nodes);
	free(document->text);
	free(document);
}

struct json_value json_in_root(const struct json_in *document)
{
	return (struct json_value){ document, 0 };
}

static const struct node *node_of(struct json_value value)
{
	return &value.document->nodes[value.node];
}

struct json_value json_in_next(struct json_value element)
{
	return (struct json_value){ element.document, node_of(element)->end };
}

enum json_kind json_in_kind(struct json_value value)
{
	return node_of(value)->kind;
}

const char *json_in_text(struct json_value value)
{
	return node_of(value)->text;
}

bool json_in_each(struct json_value list, struct json_value *at)
{
	*at = at->document ?
		      json_in_next(*at) :
		      (struct json_value){ list.document, list.node + 1 };
	return at->node < node_of(list)->end;
}

/* Returns as the functions that look for a member do. */
static int check(struct json_value value, enum json_kind kind)
{
	const struct node *node = node_of(value);

	if (node->kind == JSON_NULL)
		return 0;
	return node->kind == kind ? 1 : -EBADMSG;
}

static bool find_member(struct json_value object, const char *key,
			struct json_value *member)
{
	const struct node *node = node_of(object);
	struct json_value at = { object.document, object.node + 1 };

	if (node->kind != JSON_OBJECT)
		return false;
	while (at.node < node->end) {
		bool found = strcmp(node_of(at)->text, key) == 0;

		at = json_in_next(at);
		if (found) {
			*member = at;
			return true;
		}
		at = json_in_next(at);
	}
	return false;
}

bool json_in_has(struct json_value object, const char *key)
{
	struct json_value member;

	return find_member(object, key, &member);
}

static int find(struct json_value object, const char *key, enum json_kind kind,
		struct json_value *member)
{
	return find_member(object, key, member) ? check(*member, kind) :
						  -EBADMSG;
}

int json_in_object(struct json_value object, const char *key,
		   struct json_value *member)
{
	struct json_value value;
	int ret = find(object, key, JSON_OBJECT, &value);

	if (ret > 0)
		*member = value;
	return ret;
}

int json_in_array(struct json_value object, const char *key,
		  struct json_value *first, size_t *count)
{
	struct json_value array;
	int ret = find(object, key, JSON_ARRAY, &array);
	size_t end;

	if (ret <= 0)
		return ret;
	end = node_of(array)->end;
	*first = (struct json_value){ array.document, array.node + 1 };
	*count = 0;
	for (struct json_value at = *first; at.node < end;
	     at = json_in_next(at))
		++*count;
	return 1;
}

int json_in_string(struct json_value object, const char *key,
		   const char **string)
{
	struct json_value value;
	int ret = find(object, key, JSON_STRING, &value);

	if (ret > 0)
		*string = node_of(value)->text;
	return ret;
}

int json_in_copy(struct json_value object, const char *key, char **string)
{
	const char *text;
	int ret = json_in_string(object, key, &text);

	if (ret <= 0)
		return ret;
	*string = strdup(text);
	return *string ? 1 : -ENOMEM;
}

int json_in_number(struct json_value object, const char *key, uint64_t max,
		   uint64_t *number)
{
	struct json_value value;
	uint64_t found;
	const char *text;
	int ret = find(object, key, JSON_NUMBER, &value);

	if (ret <= 0)
		return ret;
	text = node_of(value)->text;
	if (!number_scan(&text, max, &found) || *text == '.' || *text == 'e' ||
	    *text == 'E')
		return -EBADMSG;
	*number = found;
	return 1;
}

int json_in_bool(struct json_value object, const char *key, bool *value)
{
	struct json_value member;
	int ret = find(object, key, JSON_FALSE, &member);

	/* A bool is of one of two kinds, false and true. */
	if (ret < 0)
		ret = find(object, key, JSON_TRUE, &member);
	if (ret > 0)
		*value = node_of(member)->kind == JSON_TRUE;
	return ret;
}

int json_in_strings(struct json_value object, const char *key,
		    struct string_list *list)
{
	struct json_value element;
	size_t count = 0;
	int ret = json_in_array(object, key, &element, &count);

	for (size_t i = 0; ret > 0 && i < count; i++) {
		if (node_of(element)->kind != JSON_STRING)
			return -EBADMSG;
		if (string_list_add(list, node_of(element)->text) < 0)
			return -ENOMEM;
		element = json_in_next(element);
	}
	return ret;
}
