package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"syscall"
)

// Counts are the requests to the API server that were answered, by method.
type Counts struct {
	mutex    sync.Mutex
	requests map[string]int
}

func newCounts() *Counts { return &Counts{requests: map[string]int{}} }

type counting struct {
	counts *Counts
	next   http.RoundTripper
}

func (c *Counts) wrap(next http.RoundTripper) http.RoundTripper { return counting{c, next} }

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err == nil {
		c.counts.mutex.Lock()
		defer c.counts.mutex.Unlock()
		c.counts.requests[request.Method]++
	}
	return response, err
}

// Parent is the benchmark, a Node process, at the other end of a channel that carries a line of JSON a message.
type Parent struct {
	channel *os.File
	counts  *Counts
}

func openParent(counts *Counts) {
	descriptor, err := strconv.Atoi(os.Getenv("NODE_CHANNEL_FD"))
	if err != nil {
		panic("the benchmark is not there: " + err.Error())
	}
	parent := &Parent{channel: os.NewFile(uintptr(descriptor), "parent"), counts: counts}
	go parent.answer()
}

// answer tells how things stand whenever asked, and ends with the benchmark: one that fails leaves nothing behind.
func (p *Parent) answer() {
	lines := bufio.NewScanner(p.channel)
	for lines.Scan() {
		p.counts.mutex.Lock()
		status := map[string]any{"requests": p.counts.requests, "cpuSeconds": cpuSeconds(), "peakMiB": peakMiB()}
		p.send(status)
		p.counts.mutex.Unlock()
	}
	os.Exit(1)
}

func (p *Parent) send(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	_, _ = p.channel.Write(append(text, '\n'))
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

var resident = regexp.MustCompile(`VmHWM:\s+(\d+)`)

func peakMiB() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	kib, _ := strconv.ParseFloat(string(resident.FindSubmatch(text)[1]), 64)
	return kib / 1024
}
