// A real kube-apiserver in one program, for tests and for trying the operator out: an etcd in this process, that keeps its data in a
// temporary folder, and the API server of Kubernetes on top of it. It listens on loopback addresses only.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const etcdStart = 60 * time.Second

func main() {
	folder := flag.String("folder", "", "where etcd and the API server keep their files")
	flag.Parse()
	if *folder == "" {
		fail(fmt.Errorf("usage: kube-apiserver -folder DIR -- FLAGS OF kube-apiserver"))
	}
	etcd, err := startEtcd(filepath.Join(*folder, "etcd"))
	if err != nil {
		fail(err)
	}
	command := app.NewAPIServerCommand()
	command.SetArgs(append(flag.Args(), "--etcd-servers=http://"+etcd.Clients[0].Addr().String()))
	code := cli.Run(command)
	etcd.Close()
	os.Exit(code)
}

// Test data need not survive a crash of the machine: without fsync, a write costs only the API server's work.
func startEtcd(folder string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	anyPort := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config.ListenClientUrls = []url.URL{anyPort}
	config.AdvertiseClientUrls = []url.URL{anyPort}
	config.ListenPeerUrls = []url.URL{anyPort}
	config.AdvertisePeerUrls = []url.URL{anyPort}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case <-time.After(etcdStart):
		etcd.Close()
		return nil, fmt.Errorf("etcd was not ready within %s", etcdStart)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, strings.TrimSpace(err.Error()))
	os.Exit(1)
}
