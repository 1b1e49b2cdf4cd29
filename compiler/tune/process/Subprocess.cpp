// SPDX-License-Identifier: Apache-2.0
//
// fork and exec with pipes, poll, and the end of a process group.

#include "compiler/tune/process/Subprocess.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace minic::tune {

/// How much of the child's stderr is kept, for the reason of a crash.
static constexpr size_t keptErrorBytes = 4096;

static void closeFd(int &fd) {
  if (fd >= 0) {
    ::close(fd);
    fd = -1;
  }
}

namespace {

/// A pipe whose ends close with it unless taken.
struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return false;
    }
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~Pipe() {
    closeFd(read);
    closeFd(write);
  }
  int takeRead() { return std::exchange(read, -1); }
  int takeWrite() { return std::exchange(write, -1); }
};

} // namespace

absl::StatusOr<std::unique_ptr<Subprocess>>
Subprocess::spawn(const std::vector<std::string> &arguments) {
  // `failure` closes on exec and else carries errno.
  Pipe input, output, errors, failure;
  if (!input.open() || !output.open() || !errors.open() || !failure.open()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot create pipes: ", std::strerror(errno)));
  }
  std::vector<char *> argv;
  for (const std::string &argument : arguments) {
    argv.push_back(const_cast<char *>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t parent = ::getpid();
  pid_t child = ::fork();
  if (child < 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cannot start '", arguments[0], "': ", std::strerror(errno)));
  }
  if (child == 0) {
    // Only async-signal-safe calls from here to exec.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(127); // the parent died before the line above
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(input.read, STDIN_FILENO);
    ::dup2(output.write, STDOUT_FILENO);
    ::dup2(errors.write, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    int error = errno;
    (void)!::write(failure.write, &error, sizeof(error));
    ::_exit(127);
  }
  ::setpgid(child, child);
  closeFd(failure.write);
  int error = 0;
  ssize_t got;
  do {
    got = ::read(failure.read, &error, sizeof(error));
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof(error))) {
    ::waitpid(child, nullptr, 0);
    return absl::NotFoundError(absl::StrCat("cannot run '", arguments[0],
                                            "': ", std::strerror(error)));
  }
  std::unique_ptr<Subprocess> process(new Subprocess);
  process->childPid = child;
  process->input = input.takeWrite();
  process->output = output.takeRead();
  process->errors = errors.takeRead();
  for (int fd : {process->input, process->output, process->errors}) {
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return process;
}

Subprocess::~Subprocess() { kill(); }

void Subprocess::send(const std::string &line) {
  unsent += line;
  unsent += '\n';
  pump(0);
}

/// Moves bytes: waits up to `seconds` for something to move.
void Subprocess::pump(double seconds) {
  pollfd fds[3];
  int count = 0;
  if (output >= 0) {
    fds[count++] = {output, POLLIN, 0};
  }
  if (errors >= 0) {
    fds[count++] = {errors, POLLIN, 0};
  }
  if (input >= 0 && !unsent.empty()) {
    fds[count++] = {input, POLLOUT, 0};
  }
  int milliseconds = static_cast<int>(std::clamp(seconds, 0.0, 1e6) * 1000);
  if (count == 0 ||
      ::poll(fds, count, seconds > 0 ? std::max(milliseconds, 1) : 0) <= 0) {
    return;
  }
  for (int i = 0; i < count; ++i) {
    if (fds[i].revents == 0) {
      continue;
    }
    if (fds[i].fd == input) {
      // A child that is gone makes write fail with EPIPE; no signal for it.
      sigset_t pipe, before;
      sigemptyset(&pipe);
      sigaddset(&pipe, SIGPIPE);
      ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
      ssize_t written = ::write(input, unsent.data(), unsent.size());
      if (written < 0 && errno == EPIPE) {
        timespec now = {};
        ::sigtimedwait(&pipe, nullptr, &now);
        closeFd(input);
      }
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      unsent.erase(0, std::max<ssize_t>(written, 0));
      continue;
    }
    char buffer[4096];
    bool isOutput = fds[i].fd == output;
    ssize_t got = ::read(fds[i].fd, buffer, sizeof(buffer));
    if (got > 0) {
      (isOutput ? received : errorText).append(buffer, got);
      if (errorText.size() > 2 * keptErrorBytes) {
        errorText.erase(0, errorText.size() - keptErrorBytes);
      }
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      closeFd(isOutput ? output : errors);
    }
  }
}

static double now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

Subprocess::Event Subprocess::receive(std::string &line, double seconds) {
  double deadline = now() + seconds;
  while (true) {
    size_t end = received.find('\n');
    if (end != std::string::npos) {
      line = received.substr(0, end);
      received.erase(0, end + 1);
      return Event::Line;
    }
    if (output < 0) {
      // Give a dying child a moment to say why on stderr.
      for (int i = 0; errors >= 0 && i < 20; ++i) {
        pump(0.01);
      }
      reap();
      return Event::Ended;
    }
    double left = deadline - now();
    pump(std::max(left, 0.0));
    if (left <= 0 && received.find('\n') == std::string::npos && output >= 0) {
      return Event::Timeout;
    }
  }
}

void Subprocess::waitAny(absl::Span<Subprocess *const> children,
                         double seconds) {
  std::vector<pollfd> fds;
  for (Subprocess *child : children) {
    if (child->output < 0 || child->received.find('\n') != std::string::npos) {
      return;
    }
    fds.push_back({child->output, POLLIN, 0});
    if (child->errors >= 0) {
      fds.push_back({child->errors, POLLIN, 0});
    }
    if (child->input >= 0 && !child->unsent.empty()) {
      fds.push_back({child->input, POLLOUT, 0});
    }
  }
  if (::poll(fds.data(), fds.size(), static_cast<int>(seconds * 1000)) > 0) {
    for (Subprocess *child : children) {
      child->pump(0);
    }
  }
}

void Subprocess::kill() {
  if (!reaped) {
    ::kill(-childPid, SIGKILL);
    ::kill(childPid, SIGKILL);
  }
  reap();
  closeFd(input);
  closeFd(output);
  closeFd(errors);
}

/// The child has closed its stdout or was killed: it is about to end. One that
/// lingers is killed.
void Subprocess::reap() {
  if (reaped) {
    return;
  }
  closeFd(input);
  for (int i = 0; i < 200; ++i) {
    pid_t result = ::waitpid(childPid, &waitStatus, WNOHANG);
    if (result == childPid || (result < 0 && errno == ECHILD)) {
      reaped = true;
      break;
    }
    ::usleep(1000);
  }
  // What it started itself is in its group, which outlives it.
  ::kill(-childPid, SIGKILL);
  if (!reaped) {
    ::kill(childPid, SIGKILL);
    while (::waitpid(childPid, &waitStatus, 0) < 0 && errno == EINTR) {
    }
    reaped = true;
  }
}

std::string Subprocess::describeEnd() {
  std::string text;
  if (WIFSIGNALED(waitStatus)) {
    text = absl::StrCat("killed by signal ", WTERMSIG(waitStatus), " (",
                        ::strsignal(WTERMSIG(waitStatus)), ")");
  } else {
    text = absl::StrCat("exited with code ", WEXITSTATUS(waitStatus));
  }
  while (!errorText.empty() && errorText.back() == '\n') {
    errorText.pop_back();
  }
  size_t start = errorText.rfind('\n');
  std::string last =
      errorText.substr(start == std::string::npos ? 0 : start + 1);
  return last.empty() ? text : absl::StrCat(text, ": ", last.substr(0, 300));
}

} // namespace minic::tune
