// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * caller32 PATH: asks /dev/bufstat from a program with pointers of 32 bits, on
 * a kernel of 64, about the filesystem of PATH and its file with the most
 * pages. Prints, in hexadecimal: the version, the pages and inodes of the
 * filesystem; the number of rows, and the inode and pages of that file. The
 * exit status is 1 if a call failed, and the last line then its errno.
 *
 * There may be no 32-bit C library, so this needs none.
 */
#include <bufstat/filesystems.h>

_Static_assert(sizeof(long) == 4, "not a 32-bit program");

/* The same numbers on i386 and arm. */
enum { SYS_EXIT = 1, SYS_WRITE = 4, SYS_OPEN = 5, SYS_IOCTL = 54 };

#define O_PATH 010000000

static long call(long number, long a, long b, long c)
{
#ifdef __arm__
	register long r7 __asm__("r7") = number;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;

	__asm__ volatile("svc 0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2)
			 : "memory");
	return r0;
#else
	__asm__ volatile("int $0x80"
			 : "+a"(number)
			 : "b"(a), "c"(b), "d"(c)
			 : "memory");
	return number;
#endif
}

static void print(__u64 value, char end)
{
	char text[17];
	int at = sizeof(text);

	text[--at] = end;
	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	call(SYS_WRITE, 1, (long)(text + at), (long)sizeof(text) - at);
}

static long checked(long result)
{
	if (result < 0) {
		print((__u64)-result, '\n');
		call(SYS_EXIT, 1, 0, 0);
	}
	return result;
}

static struct bufstat_version version;
static struct bufstat_file file;
static struct bufstat_filesystem fs = {
	.version = BUFSTAT_FILESYSTEMS_VERSION,
};
static struct bufstat_files files = {
	.version = BUFSTAT_FILESYSTEMS_VERSION,
	.capacity = 1,
};

static void ask(const char *path)
{
	long control = checked(call(SYS_OPEN, (long)"/dev/bufstat", 0, 0));

	fs.fd = (int)checked(call(SYS_OPEN, (long)path, O_PATH, 0));
	files.fd = fs.fd;
	files.rows = (unsigned long)&file;
	checked(call(SYS_IOCTL, control, (long)BUFSTAT_IOC_VERSION,
		     (long)&version));
	checked(call(SYS_IOCTL, control, (long)BUFSTAT_IOC_FILESYSTEM,
		     (long)&fs));
	checked(call(SYS_IOCTL, control, (long)BUFSTAT_IOC_FILES,
		     (long)&files));
	print(version.version, ' ');
	print(fs.pages, ' ');
	print(fs.inodes, ' ');
	print(files.count, ' ');
	print(file.ino, ' ');
	print(file.pages, '\n');
}

/* @stack: the number of arguments, and their addresses. */
__attribute__((used)) static void begin(long *stack)
{
	ask((const char *)stack[2]);
	call(SYS_EXIT, 0, 0, 0);
}

#ifdef __arm__
__asm__(".globl _start\n_start: mov r0, sp\n bl begin\n");
#else
__asm__(".globl _start\n_start: mov %esp, %eax\n and $-16, %esp\n"
	" sub $12, %esp\n push %eax\n call begin\n");
#endif
